// What composites of functions.yaml ask about each element.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Neither infinite nor NaN.
[[nodiscard]] Tensor is_finite(const Tensor& self);
// Without an imaginary part.
[[nodiscard]] Tensor is_real(const Tensor& self);

}  // namespace opwright
