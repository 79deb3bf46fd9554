// Tensors over the dense memory of a foreign host: Views that stand in the frame of one call.
//
// A kernel reads their memory in place. Copying a handle copies the memory, since the host's ends
// with the call; a written argument is itself, for as long as the call lasts. Operators of the core
// get a tensor of theirs over the same memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "opwright/bridge.h"
#include "opwright/c_api.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::bridges {

class ViewTensor : public OpwTensor {
 public:
  enum class Use : uint8_t { Read, Written };
  // Row-major; `sizes` live as long as the view.
  ViewTensor(void* data, DType dtype, std::span<const int64_t> sizes, Use use);
  ViewTensor(const ViewTensor&) = delete;
  ViewTensor& operator=(const ViewTensor&) = delete;

  // Over the same memory; made when it is first asked for. Any thread of the call.
  [[nodiscard]] const Tensor& in_core();
  // The call is over. False when somebody still shows the memory.
  [[nodiscard]] bool end() noexcept { return !memory_ || memory_->end(); }

  // Null for a tensor that is no View of this kind.
  [[nodiscard]] static ViewTensor* from(OpwTensor* tensor);

 private:
  static const OpwTensorTable kTable;
  static OpwTensor* promote(OpwTensor* tensor);

  static constexpr size_t kUsualRank = 8;

  Use use_;
  std::array<int64_t, kUsualRank> strides_;  // NOLINT: as many as the rank are set
  std::vector<int64_t> more_strides_;        // in place of strides_, of a higher rank
  std::mutex mutex_;
  std::unique_ptr<BorrowedMemory> memory_;
};

}  // namespace opwright::bridges
