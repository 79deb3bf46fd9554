#include "opwright/ops/special/special_gradients.h"

#include <numbers>

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"

namespace opwright {
namespace {

// The value at 0 where x is 0.
Tensor with_limit(const Tensor& x, const Scalar& at_zero, const Tensor& value) {
  return where(x.eq(0), at_zero, value);
}

}  // namespace

Tensor gamma_density(const Tensor& a, const Tensor& x) {
  return ((a - 1) * x.log() - x - a.lgamma()).exp();
}
Tensor zeta_slope(const Scalar& s, const Tensor& q) {
  return special_zeta(s.to<double>() + 1, q) * -s.to<double>();
}
Tensor normal_density(const Tensor& x) {
  constexpr double kRootOfHalf = 0.70710678118654752;
  return (x * x * -0.5).exp() * (std::numbers::inv_sqrtpi * kRootOfHalf);
}

Tensor i1_slope(const Tensor& x, const Tensor& i1) {
  return with_limit(x, 0.5, x.i0() - i1 / replace_zeros(x));
}
Tensor i1e_slope(const Tensor& x, const Tensor& i1e) {
  const Tensor slope = special_i0e(x) - i1e * (x.sgn() + replace_zeros(x).reciprocal());
  return with_limit(x, 0.5, slope);
}
Tensor sinc_slope(const Tensor& x, const Tensor& sinc) {
  return with_limit(x, 0, ((x * std::numbers::pi).cos() - sinc) / replace_zeros(x));
}

Tensor logaddexp_share(const Tensor& x, const Tensor& y) {
  return ((y - x).exp() + 1).reciprocal();
}

Tensor angle_gradient(const Tensor& grad, const Tensor& self) {
  if (!is_complex(self.dtype())) return zeros_like(grad);
  const Tensor length = self.abs();
  const Tensor along =
      self * Scalar(Complex<double>(0, 1)) * (grad / replace_zeros(length * length));
  return along.masked_fill(length.eq(0), 0);
}
Tensor xlog1py_gradient(const Tensor& grad, const Tensor& self, const Scalar& other) {
  const Tensor gradient = special_xlog1py(grad, other);
  return other.to<double>() > -1 ? gradient : gradient.masked_fill(self.eq(0), 0);
}
Tensor finite_gradient(const Tensor& grad, const Tensor& self) {
  return grad.masked_fill(logical_or(self.isnan(), self.isinf()), 0);
}
Tensor copysign_gradient(const Tensor& grad, const Tensor& self, const Tensor& result) {
  return grad * with_limit(self, 0, result / replace_zeros(self));
}

Tensor fmax_takes_first(const Tensor& x, const Tensor& y) { return logical_or(x.ge(y), y.isnan()); }
Tensor fmin_takes_first(const Tensor& x, const Tensor& y) { return logical_or(x.le(y), y.isnan()); }

}  // namespace opwright
