// A parameter with its gradient and optimizer state, arranged so that a loop over memory visits the
// same element in all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/tensor.h"

namespace opwright {

using TensorList = std::span<const Tensor>;

class AlignedTensors {
 public:
  static constexpr size_t kMostParts = 5;

  // Handles element `place` of each list; `lists` has the parameters first. The others must have
  // the sizes and dtype of the parameter: an error names the list by `names`. Tensors whose memory
  // order differs from the parameter's are copied.
  AlignedTensors(const char* who, std::span<const TensorList> lists,
                 std::span<const char* const> names, size_t place);

  [[nodiscard]] int64_t numel() const noexcept { return numel_; }
  [[nodiscard]] DType dtype() const { return tensors_[0]->dtype(); }
  template <class T>
  [[nodiscard]] T* data(size_t part) const noexcept {
    return static_cast<T*>(data_[part]);
  }

  // After the loop: copies the new elements back to the tensors that were copied.
  void write_back() const;

 private:
  struct Copy {
    size_t part;
    Tensor dense;
  };
  SmallVector<const Tensor*, kMostParts> tensors_;
  std::array<void*, kMostParts> data_{};
  int64_t numel_;
  std::vector<Copy> copies_;
};

// ValueError that names the list if the lists differ in length.
void check_lengths(const char* who, std::span<const TensorList> lists,
                   std::span<const char* const> names);

}  // namespace opwright
