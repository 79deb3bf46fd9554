// Gradients as those who get them need them.
#pragma once

#include "opwright/autograd/value_meta.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// Summed over what was broadcast, so that it has the sizes. Undefined: it does not broadcast to
// what the gradient has.
[[nodiscard]] OPWRIGHT_EXPORT Tensor undo_broadcast(const Tensor& gradient,
                                                    std::span<const SymInt> sizes);
// Whether nobody else has it, so that its memory may be taken over or summed up in.
[[nodiscard]] bool is_sole_owner(const Tensor& gradient);
// In the dtype of the value: the real part where a complex one meets a real value.
[[nodiscard]] OPWRIGHT_EXPORT Tensor fit_dtype(const Tensor& gradient, DType dtype);

}  // namespace opwright
