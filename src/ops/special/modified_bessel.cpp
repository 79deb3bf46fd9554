// i0, i1, k0, k1, and each of them divided by its exponential growth or decay.
//
// I: the power series up to 8 (DLMF 10.25.2), beyond it a polynomial in 1/x for e^-x I(x) sqrt(x).
// K: up to 2, K(x) plus or minus log(x/2) I(x) has a power series (DLMF 10.31.1 and 10.31.2);
// beyond it a polynomial in 1/x for e^x K(x) sqrt(x).
#include <array>
#include <cmath>
#include <cstddef>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/modified_bessel_coefficients.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

// 1 / (k! (k + order)!)
template <int kOrder>
constexpr std::array<double, 28> make_series() {
  std::array<double, 28> coefficients{1.0};
  for (size_t k = 1; k < coefficients.size(); ++k) {
    const auto number = static_cast<double>(k);
    coefficients[k] = coefficients[k - 1] / (number * (number + kOrder));
  }
  return coefficients;
}
constexpr std::array<double, 28> kI0Series = make_series<0>();
constexpr std::array<double, 28> kI1Series = make_series<1>();

// The order is 0 or 1. For 0 <= x <= 8.
template <int kOrder>
OPWRIGHT_INLINE double small_i(double x) {
  const double z = 0.25 * x * x;
  if constexpr (kOrder == 0)
    return polynomial<kI0Series>(z);
  else
    return 0.5 * x * polynomial<kI1Series>(z);
}
// e^-x I(x) for x >= 8.
template <int kOrder>
OPWRIGHT_INLINE double large_scaled_i(double x) {
  const double t = 16.0 / x - 1.0;
  if constexpr (kOrder == 0)
    return polynomial<kI0Large>(t) / std::sqrt(x);
  else
    return polynomial<kI1Large>(t) / std::sqrt(x);
}

template <int kOrder>
OPWRIGHT_INLINE double with_parity(double value, double x) {
  if constexpr (kOrder == 0)
    return value;
  else
    return vector_math::with_sign_of(value, x);
}

template <int kOrder>
struct IFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const double magnitude = magnitude_of(x);
    const double low = magnitude < 8.0 ? magnitude : 8.0;
    // e^x twice, because it overflows before I does.
    const double half_power = vector_math::exp(0.5 * magnitude);
    const double large = half_power * large_scaled_i<kOrder>(magnitude) * half_power;
    const double finite = magnitude < 8.0 ? small_i<kOrder>(low) : large;
    const double result = magnitude < 1e4 ? finite : magnitude * kInfinite;
    return x == x ? with_parity<kOrder>(result, x) : x;
  }
};
template <int kOrder>
struct ScaledIFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const double magnitude = magnitude_of(x);
    const double low = magnitude < 8.0 ? magnitude : 8.0;
    const double small = vector_math::exp(-low) * small_i<kOrder>(low);
    const double result = magnitude < 8.0 ? small : large_scaled_i<kOrder>(magnitude);
    return x == x ? with_parity<kOrder>(result, x) : x;
  }
};

// K(x), or e^x K(x), for every x: infinite at 0, NaN below.
template <int kOrder, bool kIsScaled>
struct KFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const double low = x < 2.0 ? x : 2.0;
    const double t = 0.5 * low * low - 1.0;
    const double logarithm = vector_math::log(0.5 * low);
    double small;
    double large;
    if constexpr (kOrder == 0) {
      small = polynomial<kK0Small>(t) - logarithm * small_i<0>(low);
      large = polynomial<kK0Large>(4.0 / x - 1.0);
    } else {
      small = 1.0 / low + logarithm * small_i<1>(low) + low * polynomial<kK1Small>(t);
      large = polynomial<kK1Large>(4.0 / x - 1.0);
    }
    const double power = vector_math::exp(kIsScaled ? low : -x);
    if constexpr (kIsScaled) small *= power;
    const double far = (kIsScaled ? large : large * power) / std::sqrt(x);
    const double above = x < 2.0 ? small : far;
    const double result = x == 0.0 ? kInfinite : above;
    const double checked = x < 0.0 ? kNotANumber : result;
    return x == x ? checked : x;
  }
};

template <class T>
using I0 = WideFunction<T, IFunction<0>>;
template <class T>
using I1 = WideFunction<T, IFunction<1>>;
template <class T>
using ScaledI0 = WideFunction<T, ScaledIFunction<0>>;
template <class T>
using ScaledI1 = WideFunction<T, ScaledIFunction<1>>;
template <class T>
using K0 = WideFunction<T, KFunction<0, false>>;
template <class T>
using K1 = WideFunction<T, KFunction<1, false>>;
template <class T>
using ScaledK0 = WideFunction<T, KFunction<0, true>>;
template <class T>
using ScaledK1 = WideFunction<T, KFunction<1, true>>;

}  // namespace

const PointwiseOp& i0_op() {
  static constexpr PointwiseOp op = inexact_float_op<I0>(1);
  return op;
}
const PointwiseOp& special_i1_op() {
  static constexpr PointwiseOp op = inexact_float_op<I1>(1);
  return op;
}
const PointwiseOp& special_i0e_op() {
  static constexpr PointwiseOp op = inexact_float_op<ScaledI0>(1);
  return op;
}
const PointwiseOp& special_i1e_op() {
  static constexpr PointwiseOp op = inexact_float_op<ScaledI1>(1);
  return op;
}
const PointwiseOp& modified_bessel_k0_op() {
  static constexpr PointwiseOp op = inexact_float_op<K0>(1);
  return op;
}
const PointwiseOp& modified_bessel_k1_op() {
  static constexpr PointwiseOp op = inexact_float_op<K1>(1);
  return op;
}
const PointwiseOp& scaled_modified_bessel_k0_op() {
  static constexpr PointwiseOp op = inexact_float_op<ScaledK0>(1);
  return op;
}
const PointwiseOp& scaled_modified_bessel_k1_op() {
  static constexpr PointwiseOp op = inexact_float_op<ScaledK1>(1);
  return op;
}

}  // namespace opwright
