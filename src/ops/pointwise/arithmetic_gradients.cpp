#include "opwright/ops/pointwise/arithmetic_gradients.h"

#include <cmath>
#include <complex>

#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/gradient_rule.h"

namespace opwright {
namespace {

bool is_number_one(const Scalar& number) {
  if (number.is_complex()) return false;
  return number.is_floating() ? number.to<double>() == 1.0
                              : !number.sym_int().is_symbolic() && number.sym_int().word() == 1;
}

bool is_zero(const Scalar& number) {
  const Complex<double> value = number.complex_value();
  return value.real == 0 && value.imag == 0;
}

Scalar minus_one(const Scalar& number) {
  if (number.is_complex()) return number.complex_value() - Complex<double>(1);
  if (number.is_floating()) return number.to<double>() - 1;
  return number.sym_int() - 1;
}

Scalar log_of(const Scalar& number, bool in_complex) {
  if (!number.is_complex() && !in_complex) return std::log(number.to<double>());
  const Complex<double> value = number.to<Complex<double>>();
  const std::complex<double> log = std::log(std::complex(value.real, value.imag));
  return Complex<double>(log.real(), log.imag());
}

// Where 0 to that power is 0 or 1; its gradient for the exponent is defined as 0.
Tensor is_not_negative(const Tensor& exponent) { return real_part(exponent).ge(0); }

// True where `self` is within the given bounds.
template <class Bound>
std::optional<Tensor> is_within(const Tensor& self, const std::optional<Bound>& min,
                                const std::optional<Bound>& max) {
  if (min && max) return logical_and(self.ge(*min), self.le(*max));
  if (min) return self.ge(*min);
  if (max) return self.le(*max);
  return std::nullopt;
}

}  // namespace

Scalar conjugate(const Scalar& number) {
  if (!number.is_complex()) return number;
  const Complex<double> value = number.complex_value();
  return Complex<double>(value.real, -value.imag);
}

Scalar one_minus(const Scalar& number) {
  if (number.is_complex()) return Complex<double>(1) - number.complex_value();
  return 1.0 - number.to<double>();
}

Tensor scaled(const Tensor& grad, const Scalar& factor) {
  return is_number_one(factor) ? grad : grad * conjugate(factor);
}

Tensor real_part(const Tensor& tensor) {
  return is_complex(tensor.dtype()) ? _to_copy(tensor, real_dtype(tensor.dtype())) : tensor;
}
Tensor imaginary_part(const Tensor& tensor) {
  return real_part(tensor * Scalar(Complex<double>(0, -1)));
}

Tensor dividend_gradient(const Tensor& grad, const Tensor& divisor,
                         const std::optional<std::string_view>& rounding_mode) {
  return rounding_mode ? zeros_like(grad) : grad / conjugate(divisor);
}
Tensor dividend_gradient(const Tensor& grad, const Scalar& divisor,
                         const std::optional<std::string_view>& rounding_mode) {
  return rounding_mode ? zeros_like(grad) : grad / conjugate(divisor);
}
Tensor divisor_gradient(const Tensor& grad, const Tensor& self, const Tensor& divisor,
                        const std::optional<std::string_view>& rounding_mode) {
  return rounding_mode ? zeros_like(grad) : -grad * conjugate((self / divisor) / divisor);
}

Tensor pow_base_gradient(const Tensor& grad, const Tensor& self, const Scalar& exponent) {
  if (is_zero(exponent)) return zeros_like(grad);
  return grad * conjugate(self.pow(minus_one(exponent)) * exponent);
}
Tensor pow_base_gradient(const Tensor& grad, const Tensor& self, const Tensor& exponent) {
  return where(exponent.eq(0), 0, grad * conjugate(exponent * self.pow(exponent - 1)));
}
Tensor pow_exponent_gradient(const Tensor& grad, const Tensor& self, const Tensor& exponent,
                             const Tensor& result) {
  const Tensor is_flat = logical_and(self.eq(0), is_not_negative(exponent));
  // A negative base has a complex logarithm.
  const bool in_complex = is_complex(result.dtype()) && !is_complex(self.dtype());
  const Tensor base = in_complex ? self.to(result.dtype()) : self;
  return grad * where(is_flat, 0, conjugate(result * base.log()));
}
Tensor pow_exponent_gradient(const Tensor& grad, const Scalar& self, const Tensor& exponent,
                             const Tensor& result) {
  const Tensor slope = conjugate(result * log_of(self, is_complex(result.dtype())));
  return grad * (is_zero(self) ? where(is_not_negative(exponent), 0, slope) : slope);
}
Tensor inverse_square_radius(const Tensor& x, const Tensor& y) {
  const Tensor is_origin = logical_and(x.eq(0), y.eq(0));
  return (x * x + y * y).reciprocal().masked_fill(is_origin, 0);
}
Tensor xlogy_gradient(const Tensor& grad, const Tensor& self, const Scalar& other) {
  const Tensor gradient = xlogy(grad, other);
  return other.to<double>() > 0 ? gradient : gradient.masked_fill(self.eq(0), 0);
}

Tensor chosen_gradient(const Tensor& grad, const Tensor& are_equal, const Tensor& loses) {
  return where(are_equal, grad / 2, grad).masked_fill(loses, 0);
}

Tensor clamp_gradient(const Tensor& grad, const Tensor& self, const std::optional<Scalar>& min,
                      const std::optional<Scalar>& max) {
  const std::optional<Tensor> passes = is_within(self, min, max);
  return passes ? where(*passes, grad, 0) : grad;
}
Tensor clamp_gradient(const Tensor& grad, const Tensor& self, const std::optional<Tensor>& min,
                      const std::optional<Tensor>& max) {
  const std::optional<Tensor> passes = is_within(self, min, max);
  return passes ? where(*passes, grad, 0) : grad;
}
Tensor clamp_min_gradient(const Tensor& grad, const Tensor& self, const std::optional<Tensor>& min,
                          const std::optional<Tensor>& max) {
  const Tensor is_below = self.lt(*min);
  return where(max ? logical_and(is_below, min->lt(*max)) : is_below, grad, 0);
}
Tensor clamp_max_gradient(const Tensor& grad, const Tensor& self, const std::optional<Tensor>& min,
                          const std::optional<Tensor>& max) {
  const Tensor is_above = self.gt(*max);
  return where(min ? logical_or(is_above, max->lt(*min)) : is_above, grad, 0);
}

Tensor sgn_gradient(const Tensor& grad, const Tensor& self, const Tensor& result) {
  if (!is_complex(self.dtype())) return zeros_like(grad);
  const Tensor length = self.abs();
  const Tensor along = result * real_part(grad * result.conj_physical());
  return ((grad - along) / length).masked_fill(length.eq(0), 0);
}

}  // namespace opwright
