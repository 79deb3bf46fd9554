// The gradients of complex and polar.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

[[nodiscard]] Tensor real_part(const Tensor& tensor);
[[nodiscard]] Tensor imaginary_part(const Tensor& tensor);

// In the sizes that abs and angle broadcast to.
[[nodiscard]] Tensor polar_abs_gradient(const Tensor& grad, const Tensor& abs, const Tensor& angle);
[[nodiscard]] Tensor polar_angle_gradient(const Tensor& grad, const Tensor& result);

}  // namespace opwright
