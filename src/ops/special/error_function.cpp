// erfc, erfinv, erfcx, ndtr, ndtri, log_ndtr: the error function's complement and inverse, and the
// normal distribution.
//
// All of them reduce to e^(x^2) erfc(x) for x >= 0, a polynomial in (x - 4) / (x + 4) divided by
// 1 + 2x (the substitution of Shepherd and Laframboise, 1981), and to a polynomial approximation of
// the inverse, which Halley's iteration refines for float64.
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/error_function_coefficients.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

constexpr double kRootHalf = 0.70710678118654752;

// e^(x^2) erfc(x) for x >= 0.
OPWRIGHT_INLINE double scaled_tail(double x) {
  const double limited = x > 1e300 ? 1e300 : x;
  const double value =
      polynomial<kErfcx>((limited - 4.0) / (limited + 4.0)) / (1.0 + 2.0 * limited);
  return x < kInfinite ? value : 0.0;
}

// x^2 as an exact square and a small rest.
struct SplitSquare {
  double square, rest;
};
OPWRIGHT_INLINE SplitSquare split_square(double x) {
  const double high = std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0xfffffffff8000000ULL);
  return {high * high, (x - high) * (x + high)};
}
// e^r of a rest.
OPWRIGHT_INLINE double exp_of_rest(double r) { return 1.0 + r * (1.0 + r * (0.5 + r / 6.0)); }

OPWRIGHT_INLINE double complement(double x) {
  const double magnitude = magnitude_of(x);
  const double limited = magnitude > 27.5 ? 27.5 : magnitude;
  const SplitSquare split = split_square(limited);
  const double tail =
      vector_math::exp(-split.square) * exp_of_rest(-split.rest) * scaled_tail(limited);
  const double result = x < 0 ? 2.0 - tail : tail;
  return x == x ? result : x;
}

OPWRIGHT_INLINE double scaled_complement(double x) {
  const double magnitude = magnitude_of(x);
  const double tail = scaled_tail(magnitude);
  const SplitSquare split = split_square(magnitude > 30.0 ? 30.0 : magnitude);
  const double power = vector_math::exp(split.square) * exp_of_rest(split.rest);
  const double result = x < 0 ? 2.0 * power - tail : tail;
  return x == x ? result : x;
}

// The inverse of erf at x, where w is -log(1 - x^2). To 10 digits.
OPWRIGHT_INLINE double inverse_at(double x, double w) {
  constexpr double kLow = 1.0 / 28.0;
  constexpr double kHigh = 1.0 / 2.5;
  constexpr double kScale = 1.0 / (kHigh - kLow);
  const double root = std::sqrt(w);
  const double t = 2.0 * kScale / root - (kLow + kHigh) * kScale;
  const double far = vector_math::with_sign_of(root * polynomial<kErfinvTail>(t), x);
  const double near = x * polynomial<kErfinvCentre>(w * 0.32 - 1.0);
  return w < 6.25 ? near : far;
}

// The same of q, which is 1 - x^2, 0 or at least 1e-300.
OPWRIGHT_INLINE double inverse_near(double x, double q) {
  const double inside = inverse_at(x, -vector_math::log_wide(q));
  const double outside = q == 0.0 ? vector_math::with_sign_of(kInfinite, x) : kNotANumber;
  return q > 0.0 ? inside : outside;
}

// One step of Halley's iteration to the z > 0 where erf(z) is `x` and erfc(z) is `rest`.
double refined(double z, double x, double rest) {
  const double excess = x < 0.5 ? std::erf(z) - x : rest - std::erfc(z);
  const double half_power = std::exp(z * z / 2);
  const double step = excess * half_power * half_power / (2 * std::numbers::inv_sqrtpi);
  return z - step / (1 + z * step);
}

struct ErfcFunction {
  OPWRIGHT_INLINE static double of(double x) { return complement(x); }
};
template <class T>
using Erfc = WideFunction<T, ErfcFunction>;

struct ErfcxFunction {
  OPWRIGHT_INLINE static double of(double x) { return scaled_complement(x); }
};
template <class T>
using Erfcx = WideFunction<T, ErfcxFunction>;

struct ErfinvFunction {
  static constexpr bool kHasExact = true;
  OPWRIGHT_INLINE static double of(double x) { return inverse_near(x, (1.0 - x) * (1.0 + x)); }
  static double exact(double x) {
    const double magnitude = std::abs(x);
    const double start = of(magnitude);
    if (!(magnitude < 1) || magnitude == 0) return std::copysign(start, x);
    return std::copysign(refined(start, magnitude, 1 - magnitude), x);
  }
};
template <class T>
using Erfinv = WideFunction<T, ErfinvFunction>;

// The normal distribution's quantile of p is -sqrt(2) erfinv(1 - 2p).
struct NdtriFunction {
  static constexpr bool kHasExact = true;
  OPWRIGHT_INLINE static double of(double p) {
    return inverse_near(2.0 * p - 1.0, 4.0 * p * (1.0 - p)) * std::numbers::sqrt2;
  }
  static double exact(double p) {
    if (!(p > 0 && p < 1) || p == 0.5) return of(p);
    const double tail = p < 0.5 ? p : 1 - p;
    const double x = 1 - 2 * tail;
    const double start = inverse_at(x, -std::log(4 * tail * (1 - tail)));
    const double z = refined(start, x, 2 * tail) * std::numbers::sqrt2;
    return p < 0.5 ? -z : z;
  }
};
template <class T>
using Ndtri = WideFunction<T, NdtriFunction>;

struct NdtrFunction {
  OPWRIGHT_INLINE static double of(double x) { return 0.5 * complement(-x * kRootHalf); }
};
template <class T>
using Ndtr = WideFunction<T, NdtrFunction>;

struct LogNdtrFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const double z = -x * kRootHalf;
    const double far = vector_math::log(0.5 * scaled_tail(z > 0 ? z : 0.0)) - z * z;
    // log(1 - p) of the rounded u = 1 - p, corrected by what rounding lost.
    const double p = 0.5 * complement(-z);
    const double u = 1.0 - p;
    const double near = vector_math::log(u) - ((u - 1.0) + p) / u;
    const double result = x < -1.0 ? far : near;
    return x > -kInfinite ? result : x;
  }
};
template <class T>
using LogNdtr = WideFunction<T, LogNdtrFunction>;

}  // namespace

const PointwiseOp& erfc_op() {
  static constexpr PointwiseOp op = inexact_float_op<Erfc>(1);
  return op;
}
const PointwiseOp& erfinv_op() {
  static constexpr PointwiseOp op = inexact_float_op<Erfinv>(1);
  return op;
}
const PointwiseOp& special_erfcx_op() {
  static constexpr PointwiseOp op = inexact_float_op<Erfcx>(1);
  return op;
}
const PointwiseOp& special_ndtr_op() {
  static constexpr PointwiseOp op = inexact_float_op<Ndtr>(1);
  return op;
}
const PointwiseOp& special_ndtri_op() {
  static constexpr PointwiseOp op = inexact_float_op<Ndtri>(1);
  return op;
}
const PointwiseOp& special_log_ndtr_op() {
  static constexpr PointwiseOp op = inexact_float_op<LogNdtr>(1);
  return op;
}

}  // namespace opwright
