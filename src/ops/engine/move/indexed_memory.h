// The elements of a tensor that index tensors address, as memory offsets.
//
// Index tensors are checked and summed once into one list of offsets. Reads and writes are then
// loops over result, offsets and tensor; if the innermost dimension is kept, they move entire rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/cpu/moved_item.h"
#include "opwright/ops/engine/cpu/strided_loop.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor.h"

namespace opwright {

enum class Negative : uint8_t { Refused, FromTheEnd };

class IndexedMemory {
 public:
  // One index tensor per dimension in shape.indexed. IndexError for an index out of range; negative
  // indices are not checked if the result has no elements, as in PyTorch.
  IndexedMemory(const char* who, const Tensor& self, const IndexedShape& shape,
                std::span<const Tensor> indices, Negative negative);

  // Copies the elements to a new tensor.
  [[nodiscard]] Tensor read() const;

  // Loops over `other` (written or read, of the result's sizes), the offsets, and the tensor
  // itself.
  [[nodiscard]] StridedLoop loop_with(std::byte* other, std::span<const int64_t> strides,
                                      int64_t item) const;
  [[nodiscard]] std::span<const int64_t> sizes() const { return sizes_; }

 private:
  void add_offsets(const char* who, const Tensor& index, size_t dim, Negative negative);

  Tensor self_;
  Tensor offsets_;  // int64, contiguous, in bytes
  Sizes sizes_;
  Sizes offset_strides_;  // 0 in the kept dimensions
  Sizes self_strides_;    // 0 in the others
};

// The index tensor as int64 without memory shared with `self`, range checked. IndexError.
[[nodiscard]] Tensor checked_index(const char* who, const Tensor& index, const Tensor& self,
                                   size_t dim);

}  // namespace opwright
