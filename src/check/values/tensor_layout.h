// Memory layouts of tensors, and tensors created in a given layout.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// All numbers are in elements.
struct TensorLayout {
  Sizes strides;       // not negative
  int64_t offset = 0;  // before the first element
  int64_t tail = 0;    // after the last one
};

// The layout of a tensor; contiguous if a stride is negative.
[[nodiscard]] TensorLayout layout_of(const Tensor& tensor);
// The same order, gaps and repeats for other sizes; contiguous stays contiguous.
[[nodiscard]] TensorLayout fit_layout(const TensorLayout& layout, std::span<const int64_t> sizes,
                                      std::span<const int64_t> new_sizes);

[[nodiscard]] TensorLayout contiguous_layout(std::span<const int64_t> sizes);
// The last dimension is outermost in memory.
[[nodiscard]] TensorLayout reversed_layout(std::span<const int64_t> sizes);
// `order` lists the dimensions, outermost first.
[[nodiscard]] TensorLayout ordered_layout(std::span<const int64_t> sizes,
                                          std::span<const int64_t> order);
// Every `step`-th element of a larger tensor, starting at element `start` of each dimension.
[[nodiscard]] TensorLayout gapped_layout(std::span<const int64_t> sizes, int64_t step,
                                         int64_t start);
// All elements along `dim` share one location.
[[nodiscard]] TensorLayout repeated_layout(std::span<const int64_t> sizes, size_t dim);

// A tensor with these elements in that layout, in its own storage, whose other elements are of the
// same kind. Where the layout repeats an element, the first value is used. Device and requires_grad
// come from `like`.
[[nodiscard]] Tensor lay_out(const Tensor& values, const TensorLayout& layout, const Tensor& like);

// Whether both have the same elements in the same order.
[[nodiscard]] bool are_same_memory(const Tensor& a, const Tensor& b);
// Another tensor over the same elements, with its own gradient.
[[nodiscard]] Tensor same_memory(const Tensor& tensor, bool requires_grad);

}  // namespace opwright
