// Operators of torch.special under their other names, and functions composed of special functions:
// mvlgamma, float_power, ldexp, positive.
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr const char* kWhoMvlgamma = "mvlgamma";

// The sum of lgamma(self - i / 2) over i < p, and a constant. The terms are rows, of which loops
// over elements are long.
Tensor sum_of_lgammas(const Tensor& self, int64_t p) {
  OPWRIGHT_CHECK(p >= 1, kWhoMvlgamma, ": p must be at least 1, got ", p);
  OPWRIGHT_CHECK(!is_complex(self.dtype()), kWhoMvlgamma, ": self must be real, got ", self);
  const DType dtype = inexact_dtype(self.dtype());
  const double half = static_cast<double>(p) / 2;
  const Tensor shifts =
      arange(Scalar(0.5 - half), Scalar(0.5), Scalar(0.5), dtype, std::nullopt, self.device());
  const double constant = half * (static_cast<double>(p) - 1) / 2 * std::log(std::numbers::pi);
  SymSizes column(static_cast<size_t>(self.dim()) + 1, SymInt(1));
  column[0] = SymInt(p);
  return self.add(shifts.reshape(column)).lgamma().sum({0}).add(Scalar(constant));
}

DType power_dtype(bool has_complex) { return has_complex ? DType::Complex128 : DType::Float64; }
void check_base(const Tensor& self, DType dtype) {
  OPWRIGHT_CHECK(self.dtype() == dtype, "float_power_: self must have the dtype of the result, ",
                 dtype, ", got ", self, "; use float_power");
}

}  // namespace

Tensor mvlgamma_composite(const Tensor& self, int64_t p) { return sum_of_lgammas(self, p); }
Tensor& mvlgamma_in_place_composite(Tensor& self, int64_t p) {
  OPWRIGHT_CHECK(is_floating(self.dtype()), "mvlgamma_: self must be floating, got ", self,
                 "; use mvlgamma");
  return self.copy_(sum_of_lgammas(self, p));
}
Tensor special_multigammaln_composite(const Tensor& self, int64_t p) { return mvlgamma(self, p); }

Tensor float_power_composite(const Tensor& self, const Tensor& exponent) {
  const DType dtype = power_dtype(is_complex(self.dtype()) || is_complex(exponent.dtype()));
  return self.to(dtype).pow(exponent.to(dtype));
}
Tensor float_power_by_number_composite(const Tensor& self, const Scalar& exponent) {
  return self.to(power_dtype(is_complex(self.dtype()) || exponent.is_complex())).pow(exponent);
}
Tensor float_power_of_number_composite(const Scalar& self, const Tensor& exponent) {
  return pow(self, exponent.to(power_dtype(is_complex(exponent.dtype()) || self.is_complex())));
}
Tensor& float_power_in_place_composite(Tensor& self, const Tensor& exponent) {
  const DType dtype = power_dtype(is_complex(self.dtype()) || is_complex(exponent.dtype()));
  check_base(self, dtype);
  return self.pow_(exponent.to(dtype));
}
Tensor& float_power_by_number_in_place_composite(Tensor& self, const Scalar& exponent) {
  check_base(self, power_dtype(is_complex(self.dtype()) || exponent.is_complex()));
  return self.pow_(exponent);
}

Tensor ldexp_composite(const Tensor& self, const Tensor& other) {
  return self.mul(pow(Scalar(2.0), other));
}
Tensor& ldexp_in_place_composite(Tensor& self, const Tensor& other) {
  return self.mul_(pow(Scalar(2.0), other));
}

Tensor positive_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.dtype() != DType::Bool,
                 "positive: a bool tensor has no sign; use self itself");
  return self;
}

Tensor special_expit_composite(const Tensor& self) { return self.sigmoid(); }
Tensor special_psi_composite(const Tensor& self) { return self.digamma(); }
Tensor special_digamma_composite(const Tensor& self) { return self.digamma(); }
Tensor special_gammaln_composite(const Tensor& self) { return self.lgamma(); }
Tensor special_sinc_composite(const Tensor& self) { return self.sinc(); }
Tensor special_exp2_composite(const Tensor& self) { return self.exp2(); }
Tensor special_expm1_composite(const Tensor& self) { return self.expm1(); }
Tensor special_log1p_composite(const Tensor& self) { return self.log1p(); }
Tensor special_erf_composite(const Tensor& self) { return self.erf(); }
Tensor special_erfc_composite(const Tensor& self) { return self.erfc(); }
Tensor special_erfinv_composite(const Tensor& self) { return self.erfinv(); }
Tensor special_i0_composite(const Tensor& self) { return self.i0(); }
Tensor special_gammainc_composite(const Tensor& self, const Tensor& other) {
  return self.igamma(other);
}
Tensor special_gammaincc_composite(const Tensor& self, const Tensor& other) {
  return self.igammac(other);
}
Tensor special_polygamma_composite(int64_t n, const Tensor& self) { return polygamma(n, self); }
Tensor special_logit_composite(const Tensor& self, const std::optional<double>& eps) {
  return self.logit(eps);
}
Tensor special_round_composite(const Tensor& self, int64_t decimals) {
  return self.round(decimals);
}
Tensor special_xlogy_composite(const Tensor& self, const Tensor& other) {
  return self.xlogy(other);
}
Tensor special_xlogy_of_number_composite(const Scalar& self, const Tensor& other) {
  return xlogy(self, other);
}
Tensor special_xlogy_by_number_composite(const Tensor& self, const Scalar& other) {
  return self.xlogy(other);
}
Tensor special_softmax_composite(const Tensor& self, int64_t dim,
                                 const std::optional<DType>& dtype) {
  return self.softmax(dim, dtype);
}
Tensor special_log_softmax_composite(const Tensor& self, int64_t dim,
                                     const std::optional<DType>& dtype) {
  return self.log_softmax(dim, dtype);
}
Tensor special_logsumexp_composite(const Tensor& self, std::span<const int64_t> dim, bool keepdim) {
  return self.logsumexp(dim, keepdim);
}

}  // namespace opwright
