// The elements of a tensor that index tensors address, as offsets in its memory.
//
// Index tensors become one list of offsets, checked and added up once. Reading and writing are then
// loops over result, offsets and tensor; where a dimension that is kept lies innermost they move
// whole rows.
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
  // One index tensor for each of shape.indexed. IndexError for an index out of range; those from
  // the end are not looked at when the result has no elements, as PyTorch has it.
  IndexedMemory(const char* who, const Tensor& self, const IndexedShape& shape,
                std::span<const Tensor> indices, Negative negative);

  // A new tensor with the elements.
  [[nodiscard]] Tensor read() const;

  // `other` (written or read, of the sizes of the result), offsets, and the tensor itself.
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

// [i] of each index tensor as int64 that shares no memory with `self`; range checked. IndexError.
[[nodiscard]] Tensor checked_index(const char* who, const Tensor& index, const Tensor& self,
                                   size_t dim);

}  // namespace opwright
