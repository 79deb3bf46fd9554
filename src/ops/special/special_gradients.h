// Gradients of special functions, and of parts and neighbours of numbers, that do not fit on a line
// of functions.yaml.
#pragma once

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// ---- derivatives
// Of P(a, x) for x: x^(a - 1) e^-x / Gamma(a).
[[nodiscard]] Tensor gamma_density(const Tensor& a, const Tensor& x);
// Of zeta(s, q) for q.
[[nodiscard]] Tensor zeta_slope(const Scalar& s, const Tensor& q);
// Of the normal distribution: e^(-x^2 / 2) / sqrt(2 pi).
[[nodiscard]] Tensor normal_density(const Tensor& x);
// Of i1 and i1e, with their values; 1/2 at 0.
[[nodiscard]] Tensor i1_slope(const Tensor& x, const Tensor& i1);
[[nodiscard]] Tensor i1e_slope(const Tensor& x, const Tensor& i1e);
// Of sinc, with its value; 0 at 0.
[[nodiscard]] Tensor sinc_slope(const Tensor& x, const Tensor& sinc);
// Of logaddexp(x, y) for x.
[[nodiscard]] Tensor logaddexp_share(const Tensor& x, const Tensor& y);

// ---- gradients
[[nodiscard]] Tensor angle_gradient(const Tensor& grad, const Tensor& self);
[[nodiscard]] Tensor xlog1py_gradient(const Tensor& grad, const Tensor& self, const Scalar& other);
// Zero where nan_to_num replaces an element.
[[nodiscard]] Tensor finite_gradient(const Tensor& grad, const Tensor& self);
// Zero at 0, where copysign has no derivative.
[[nodiscard]] Tensor copysign_gradient(const Tensor& grad, const Tensor& self,
                                       const Tensor& result);

// ---- choice
// Whether fmax or fmin returns x: the first of equal numbers, and the one that is not NaN.
[[nodiscard]] Tensor fmax_takes_first(const Tensor& x, const Tensor& y);
[[nodiscard]] Tensor fmin_takes_first(const Tensor& x, const Tensor& y);

}  // namespace opwright
