// Checks gradients and reduces them to the input's shape.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/autograd/value_meta.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Sums over broadcast dimensions, so that the gradient has `sizes`. Undefined: `sizes` do not
// broadcast to the gradient's.
[[nodiscard]] OPWRIGHT_EXPORT Tensor undo_broadcast(const Tensor& gradient,
                                                    std::span<const SymInt> sizes);
// Whether there are no owners besides this one and `others`, so that its memory may be reused or
// accumulated into.
[[nodiscard]] bool is_sole_owner(const Tensor& gradient, uint32_t others = 0);
// In the memory layout that the .grad of a leaf has: the leaf's strides if they are dense, else
// contiguous.
[[nodiscard]] Tensor fit_layout(Tensor gradient, const Tensor& leaf);
// Converts to the dtype of the value: the real part of a complex gradient for a real value.
[[nodiscard]] OPWRIGHT_EXPORT Tensor fit_dtype(const Tensor& gradient, DType dtype);
// The same, unless gradients of the value may have any dtype.
[[nodiscard]] OPWRIGHT_EXPORT Tensor fit_dtype(const Tensor& gradient, const ValueMeta& value);

}  // namespace opwright
