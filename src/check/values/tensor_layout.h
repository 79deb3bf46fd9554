// How the elements of a tensor lie in memory, and tensors whose elements lie so.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// In elements.
struct TensorLayout {
  Sizes strides;       // not negative
  int64_t offset = 0;  // before the first element
  int64_t tail = 0;    // behind the last one
};

// Of a tensor; contiguous where a stride is negative.
[[nodiscard]] TensorLayout layout_of(const Tensor& tensor);
// The same order, gaps and repeats for other sizes: what is contiguous stays it.
[[nodiscard]] TensorLayout fit_layout(const TensorLayout& layout, std::span<const int64_t> sizes,
                                      std::span<const int64_t> new_sizes);

[[nodiscard]] TensorLayout contiguous_layout(std::span<const int64_t> sizes);
// The last dimension is the outermost in memory.
[[nodiscard]] TensorLayout reversed_layout(std::span<const int64_t> sizes);
// `order` names the dimensions, outermost first.
[[nodiscard]] TensorLayout ordered_layout(std::span<const int64_t> sizes,
                                          std::span<const int64_t> order);
// Every `step`-th element of a larger tensor, from element `start` of each dimension on.
[[nodiscard]] TensorLayout gapped_layout(std::span<const int64_t> sizes, int64_t step,
                                         int64_t start);
// All elements along `dim` are the same one.
[[nodiscard]] TensorLayout repeated_layout(std::span<const int64_t> sizes, size_t dim);

// A tensor with these elements in that layout: in a storage of its own, whose other elements are of
// the same kind. Where the layout repeats an element, the first value is taken. `like` says the
// device and whether it requires grad.
[[nodiscard]] Tensor lay_out(const Tensor& values, const TensorLayout& layout, const Tensor& like);

// Whether they are the same elements in the same order.
[[nodiscard]] bool are_same_memory(const Tensor& a, const Tensor& b);
// Another object over the same elements, with a gradient of its own.
[[nodiscard]] Tensor same_memory(const Tensor& tensor, bool requires_grad);

}  // namespace opwright
