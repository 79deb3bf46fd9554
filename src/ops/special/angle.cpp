// Angles and lengths: sinc, deg2rad, rad2deg, angle, hypot.
#include <cmath>
#include <numbers>
#include <type_traits>

#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/half_turns.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

// sin(pi x) / (pi x), exactly 0 at whole numbers.
template <class T>
struct Sinc {
  static constexpr bool kIsScalar = kIsComplex<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      if (x == T{}) return T(1);
      const auto angle = to_standard(x) * std::numbers::pi_v<decltype(x.real)>;
      return from_standard(std::sin(angle) / angle);
    } else {
      const auto wide = static_cast<double>(x);
      const double whole = std::nearbyint(wide);
      const double sine = sin_pi(wide - whole);
      const double is_odd = whole - 2.0 * std::floor(0.5 * whole);
      const double value = sine * (1.0 - 2.0 * is_odd) / (std::numbers::pi * wide);
      return static_cast<T>(wide == 0.0 ? 1.0 : value);
    }
  }
};

template <class T>
struct DegreesToRadians {
  OPWRIGHT_INLINE T operator()(T x) const { return x * T(std::numbers::pi / 180); }
};
template <class T>
struct RadiansToDegrees {
  OPWRIGHT_INLINE T operator()(T x) const { return x * T(180 / std::numbers::pi); }
};

// 0 or pi for real numbers.
template <class T>
struct Angle {
  static constexpr bool kIsScalar = kIsComplex<T>;
  OPWRIGHT_INLINE auto operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return std::atan2(x.imag, x.real);
    } else {
      const T side = x < T(0) ? T(std::numbers::pi) : T(0);
      return x == x ? side : x;
    }
  }
};

// An infinity wins over NaN. Doubles are scaled by the larger one, whose square may overflow.
template <class T>
struct Hypot {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    const double a = magnitude_of(static_cast<double>(x));
    const double b = magnitude_of(static_cast<double>(y));
    double length;
    if constexpr (std::is_same_v<T, float>) {
      length = std::sqrt(a * a + b * b);
    } else {
      const double larger = a > b ? a : b;
      const double smaller = a > b ? b : a;
      const double ratio = smaller / (larger == 0.0 ? 1.0 : larger);
      length = larger * std::sqrt(1.0 + ratio * ratio);
    }
    const double sum = a + b;
    const double checked = sum == sum ? length : sum;
    return static_cast<T>(((a == kInfinite) | (b == kInfinite)) ? kInfinite : checked);
  }
};

}  // namespace

const PointwiseOp& sinc_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Sinc, InexactTypes>, .rule = ResultRule::Inexact};
  return op;
}
const PointwiseOp& deg2rad_op() {
  static constexpr PointwiseOp op =
      inexact_float_op<DegreesToRadians>(1, "x * 0.017453292519943295");
  return op;
}
const PointwiseOp& rad2deg_op() {
  static constexpr PointwiseOp op = inexact_float_op<RadiansToDegrees>(1, "x * 57.29577951308232");
  return op;
}
const PointwiseOp& angle_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Angle, InexactTypes>,
                                  .rule = ResultRule::InexactReal,
                                  .formula = "x < 0 ? 3.141592653589793 : x == x ? 0 : x"};
  return op;
}
const PointwiseOp& hypot_op() {
  static constexpr PointwiseOp op = floating_op<Hypot>(2);
  return op;
}

}  // namespace opwright
