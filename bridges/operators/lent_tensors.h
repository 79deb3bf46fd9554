// Tensors that a host gives to a kernel over its own memory, until the end of one call.
//
// They are counted, so a kernel copies and gives handles as of any tensor; whether all of them were
// given back is seen at the end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bridges/operators/view_tensor.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::bridges {

// Of the thread that runs the call.
class LentTensors {
 public:
  LentTensors() = default;
  LentTensors(const LentTensors&) = delete;
  LentTensors& operator=(const LentTensors&) = delete;
  ~LentTensors() { (void)end(); }

  // One handle, owned by whoever gets it. Row-major; `sizes` live as long as the call.
  [[nodiscard]] OpwTensor* lend(void* data, DType dtype, std::span<const int64_t> sizes,
                                ViewTensor::Use use);
  // The call is over. The memory of one that somebody still shows; null: all is given back.
  [[nodiscard]] const void* end() noexcept;

 private:
  static constexpr size_t kUsual = 6;
  size_t size_ = 0;
  std::array<ViewTensor*, kUsual> usual_{};
  std::vector<ViewTensor*> more_;
};

}  // namespace opwright::bridges
