// bessel_j0, bessel_j1, bessel_y0, bessel_y1, spherical_bessel_j0.
//
// Up to 8 a polynomial in x^2; J is divided by its first two zeros, so that its digits near them
// are kept, and Y is the sum of a polynomial and 2/pi log(x) J (DLMF 10.8.1, 10.8.2). Beyond 8,
// amplitude and phase (DLMF 10.17.3, 10.17.4), as polynomials in (8 / x)^2.
#include <cmath>
#include <numbers>

#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/bessel_coefficients.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

constexpr double kTwoOverPi = 0.63661977236758134;

// x^2 - a^2, where a is the sum of two doubles.
OPWRIGHT_INLINE double over_zero(double x, double a, double a_low) {
  return ((x - a) - a_low) * (x + a);
}

OPWRIGHT_INLINE double small_j0(double x) {
  return over_zero(x, 2.404825557695773, -1.176691651530894e-16) *
         over_zero(x, 5.520078110286311, 8.088597146146722e-17) *
         polynomial<kJ0Small>(x * x / 32 - 1);
}
OPWRIGHT_INLINE double small_j1(double x) {
  return over_zero(x, 3.8317059702075125, -1.5269184090088067e-16) *
         over_zero(x, 7.015586669815619, -9.414165653410389e-17) *
         (x * polynomial<kJ1Small>(x * x / 32 - 1));
}

// For x > 8. With p and q of order 0 or 1 and u = x - pi/4 - order pi/2, J is p cos(u) - q sin(u)
// and Y is p sin(u) + q cos(u), times the amplitude.
struct Wave {
  double cosine, sine;     // p and q, times sqrt(2 / (pi x)) and sqrt(1/2)
  double sum, difference;  // of sin(x) and cos(x): sin(x) + cos(x), sin(x) - cos(x)
};
template <int kOrder>
Wave wave_at(double x) {
  const double t = 128 / (x * x) - 1;
  const double amplitude = std::sqrt(1 / (std::numbers::pi * x));
  const double sine = std::sin(x);
  const double cosine = std::cos(x);
  if constexpr (kOrder == 0)
    return {amplitude * polynomial<kPhaseCosine0>(t),
            amplitude * polynomial<kPhaseSine0>(t) * 8 / x, sine + cosine, sine - cosine};
  else
    return {amplitude * polynomial<kPhaseCosine1>(t),
            amplitude * polynomial<kPhaseSine1>(t) * 8 / x, sine + cosine, sine - cosine};
}

OPWRIGHT_INLINE double small_y0(double x) {
  return polynomial<kY0Small>(x * x / 32 - 1) + kTwoOverPi * vector_math::log(x) * small_j0(x);
}
OPWRIGHT_INLINE double small_y1(double x) {
  return x * polynomial<kY1Small>(x * x / 32 - 1) +
         kTwoOverPi * (vector_math::log(x) * small_j1(x) - 1 / x);
}

// The functions of every x.
double j0_of(double x) {
  const double magnitude = std::abs(x);
  if (magnitude <= 8) return small_j0(magnitude);
  if (std::isinf(magnitude)) return 0;
  const Wave wave = wave_at<0>(magnitude);
  return wave.cosine * wave.sum - wave.sine * wave.difference;
}
double j1_of(double x) {
  const double magnitude = std::abs(x);
  if (magnitude <= 8) return std::copysign(1.0, x) * small_j1(magnitude);
  if (std::isinf(magnitude)) return 0;
  const Wave wave = wave_at<1>(magnitude);
  return std::copysign(1.0, x) * (wave.cosine * wave.difference + wave.sine * wave.sum);
}
double y0_of(double x) {
  if (x == 0) return -kInfinite;
  if (!(x > 0)) return kNotANumber;
  if (x <= 8) return small_y0(x);
  if (std::isinf(x)) return 0;
  const Wave wave = wave_at<0>(x);
  return wave.cosine * wave.difference + wave.sine * wave.sum;
}
double y1_of(double x) {
  if (x == 0) return -kInfinite;
  if (!(x > 0)) return kNotANumber;
  if (x <= 8) return small_y1(x);
  if (std::isinf(x)) return 0;
  const Wave wave = wave_at<1>(x);
  return wave.sine * wave.difference - wave.cosine * wave.sum;
}

// sin(x) / x; its series below 1/2.
double spherical_j0_of(double x) {
  if (std::isinf(x)) return 0;
  if (std::abs(x) >= 0.5) return std::sin(x) / x;
  const double z = x * x;
  return 1 - z / 6 * (1 - z / 20 * (1 - z / 42 * (1 - z / 72 * (1 - z / 110 * (1 - z / 156)))));
}

// Vector code up to 8, and for Y above 0.
template <class T>
struct J0 {
  OPWRIGHT_INLINE T operator()(T x) const {
    return static_cast<T>(small_j0(magnitude_of(static_cast<double>(x))));
  }
  OPWRIGHT_INLINE bool is_special(T x) const { return !((x <= T(8)) & (x >= T(-8))); }
  T special(T x) const { return static_cast<T>(j0_of(static_cast<double>(x))); }
};
template <class T>
struct J1 {
  OPWRIGHT_INLINE T operator()(T x) const {
    const double value = small_j1(magnitude_of(static_cast<double>(x)));
    return static_cast<T>(x < T(0) ? -value : value);
  }
  OPWRIGHT_INLINE bool is_special(T x) const { return !((x <= T(8)) & (x >= T(-8))); }
  T special(T x) const { return static_cast<T>(j1_of(static_cast<double>(x))); }
};
template <class T>
struct Y0 {
  OPWRIGHT_INLINE T operator()(T x) const {
    return static_cast<T>(small_y0(static_cast<double>(x)));
  }
  OPWRIGHT_INLINE bool is_special(T x) const { return !((x <= T(8)) & (x > T(0))); }
  T special(T x) const { return static_cast<T>(y0_of(static_cast<double>(x))); }
};
template <class T>
struct Y1 {
  OPWRIGHT_INLINE T operator()(T x) const {
    return static_cast<T>(small_y1(static_cast<double>(x)));
  }
  OPWRIGHT_INLINE bool is_special(T x) const { return !((x <= T(8)) & (x > T(0))); }
  T special(T x) const { return static_cast<T>(y1_of(static_cast<double>(x))); }
};

struct SphericalJ0Function {
  static constexpr bool kIsScalar = true;
  static double of(double x) { return spherical_j0_of(x); }
};
template <class T>
using SphericalJ0 = WideFunction<T, SphericalJ0Function>;

}  // namespace

const PointwiseOp& bessel_j0_op() {
  static constexpr PointwiseOp op = inexact_float_op<J0>(1);
  return op;
}
const PointwiseOp& bessel_j1_op() {
  static constexpr PointwiseOp op = inexact_float_op<J1>(1);
  return op;
}
const PointwiseOp& bessel_y0_op() {
  static constexpr PointwiseOp op = inexact_float_op<Y0>(1);
  return op;
}
const PointwiseOp& bessel_y1_op() {
  static constexpr PointwiseOp op = inexact_float_op<Y1>(1);
  return op;
}
const PointwiseOp& spherical_bessel_j0_op() {
  static constexpr PointwiseOp op = inexact_float_op<SphericalJ0>(1);
  return op;
}

}  // namespace opwright
