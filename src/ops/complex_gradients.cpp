#include "opwright/ops/complex_gradients.h"

#include "opwright/functions.h"
#include "opwright/ops/gradient_rule.h"

namespace opwright {

Tensor real_part(const Tensor& tensor) {
  return tensor.to(tensor.dtype() == DType::Complex128 ? DType::Float64 : DType::Float32);
}
Tensor imaginary_part(const Tensor& tensor) {
  return real_part(tensor.mul(Complex<double>(0, -1)));
}

Tensor polar_abs_gradient(const Tensor& grad, const Tensor& abs, const Tensor& angle) {
  return real_part(conjugate(grad).mul(polar(ones_like(abs), angle)));
}
Tensor polar_angle_gradient(const Tensor& grad, const Tensor& result) {
  return real_part(conjugate(grad).mul(result).mul(Complex<double>(0, 1)));
}

}  // namespace opwright
