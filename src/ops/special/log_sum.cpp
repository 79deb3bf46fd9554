// exp2, and logarithms of sums: entr, xlog1py, logaddexp, logaddexp2.
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

constexpr double kLn2 = std::numbers::ln2;

// 2^x from a whole and a fractional power.
OPWRIGHT_INLINE double power_of_two(double x) {
  const double above = x < -1080.0 ? -1080.0 : x;
  const double bounded = above > 1030.0 ? 1030.0 : above;
  const double shifted = bounded + vector_math::kRoundingDouble;
  const double whole = shifted - vector_math::kRoundingDouble;
  const uint64_t exponent =
      std::bit_cast<uint64_t>(shifted) - std::bit_cast<uint64_t>(vector_math::kRoundingDouble);
  // Both powers of two are normal, even if their product is not.
  const uint64_t half = (exponent + 4096) / 2 - 2048;
  const double power = std::bit_cast<double>((half + 1023) << 52);
  const double other_power = std::bit_cast<double>((exponent - half + 1023) << 52);
  return vector_math::exp((bounded - whole) * kLn2) * power * other_power;
}

struct Exp2Function {
  static constexpr bool kHasDouble = true;
  // The Taylor series of the fractional power, |r| <= 1/2; its next term is below 2^-27.
  OPWRIGHT_INLINE static float vector(float x) {
    const float above = x < -151.0F ? -151.0F : x;
    const float shifted = (above > 129.0F ? 129.0F : above) + vector_math::kRoundingFloat;
    const float r = (above > 129.0F ? 129.0F : above) - (shifted - vector_math::kRoundingFloat);
    float q = 1.5252734e-5F;
    q = q * r + 1.5403530e-4F;
    q = q * r + 1.3333558e-3F;
    q = q * r + 9.6181291e-3F;
    q = q * r + 5.5504109e-2F;
    q = q * r + 0.24022651F;
    q = q * r + 0.69314718F;
    const auto exponent = static_cast<int32_t>(
        std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(vector_math::kRoundingFloat));
    // Both powers of two are normal, even if their product is not.
    const int32_t half = exponent >> 1;
    const float result = (q * r + 1.0F) * vector_math::power_of_two(half) *
                         vector_math::power_of_two(exponent - half);
    return x == x ? result : x;
  }
  OPWRIGHT_INLINE static double vector(double x) {
    const double result = power_of_two(x);
    return x == x ? result : x;
  }
  template <class V>
  static V exact(V x) {
    if constexpr (std::is_floating_point_v<V>)
      return std::exp2(x);
    else
      return std::exp(x * static_cast<typename V::value_type>(kLn2));
  }
};
template <class T>
using Exp2 = MathFunction<T, Exp2Function>;

struct EntrFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const double inside = -x * vector_math::log(x);
    const double at_zero = x == 0.0 ? 0.0 : inside;
    return x < 0.0 ? -kInfinite : at_zero;
  }
};
template <class T>
using Entr = WideFunction<T, EntrFunction>;

// log(1 + y) of 0 <= y <= 1, by the logarithm of the rounded sum and what rounding lost.
OPWRIGHT_INLINE double log_of_sum(double y) {
  const double u = 1.0 + y;
  return vector_math::log(u) - ((u - 1.0) - y) / u;
}
// Of any y.
OPWRIGHT_INLINE double log_after_one(double y) {
  const double u = 1.0 + y;
  const double rounded = vector_math::log(u);
  const double result = rounded - ((u - 1.0) - y) / u;
  const double bounded = ((u > 0.0) & (u < kInfinite)) ? result : rounded;
  return y == 0.0 ? y : bounded;
}

struct Xlog1pyFunction {
  OPWRIGHT_INLINE static double of(double x, double y) {
    const double product = x * log_after_one(y);
    const double result = x == 0.0 ? 0.0 : product;
    return y == y ? result : y;
  }
};
template <class T>
using Xlog1py = WidePairFunction<T, Xlog1pyFunction>;

// Two equal infinities have no difference, and are the result.
template <class T>
struct LogAddExp {
  static constexpr bool kIsScalar = kIsComplex<T>;
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {
      return of_complex(x, y);
    } else {
      const T larger = x > y ? x : y;
      const T smaller = x > y ? y : x;
      const T difference = smaller - larger;
      const T sum = larger + log_of_next(vector_math::exp(difference));
      const T total = x + y;
      return difference == difference ? sum : total;
    }
  }

 private:
  OPWRIGHT_INLINE static float log_of_next(float y) {
    return static_cast<float>(vector_math::log1p_wide(static_cast<double>(y)));
  }
  OPWRIGHT_INLINE static double log_of_next(double y) { return log_of_sum(y); }
  static T of_complex(T x, T y) {
    if (x == y && !std::isfinite(x.real)) return x;
    const T large = x.real >= y.real ? x : y;
    const T small = x.real >= y.real ? y : x;
    const std::complex power = std::exp(to_standard(small - large));
    // log(1 + power), with the digits of a small power.
    const auto square = power.real() * (2 + power.real()) + power.imag() * power.imag();
    const std::complex sum(std::log1p(square) / 2, std::atan2(power.imag(), 1 + power.real()));
    return from_standard(to_standard(large) + sum);
  }
};

template <class T>
struct LogAddExp2 {
  OPWRIGHT_INLINE T operator()(T a, T b) const {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    const double difference = x - y;
    const double larger = difference > 0.0 ? x : y;
    const double sum = larger + log_of_next_power(-magnitude_of(difference)) * (1.0 / kLn2);
    const double total = x + y;
    return static_cast<T>(difference == difference ? sum : total);
  }

 private:
  // log(1 + 2^d) for d <= 0. The digits that float32 needs cost half as much.
  OPWRIGHT_INLINE static double log_of_next_power(double d) {
    if constexpr (std::is_same_v<T, float>)
      return vector_math::log1p_wide(vector_math::exp_wide((d < -1000.0 ? -1000.0 : d) * kLn2));
    else
      return log_of_sum(power_of_two(d));
  }
};

}  // namespace

const PointwiseOp& exp2_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Exp2, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "exp2(x)"};
  return op;
}
const PointwiseOp& entr_op() {
  static constexpr PointwiseOp op =
      inexact_float_op<Entr>(1, "x < 0 ? -1 / 0 : x == 0 ? 0 : -x * log(x)");
  return op;
}
const PointwiseOp& xlog1py_op() {
  static constexpr PointwiseOp op =
      inexact_float_op<Xlog1py>(2, "y != y ? y : x == 0 ? 0 : x * log1p(y)");
  return op;
}
const PointwiseOp& logaddexp_op() {
  static constexpr PointwiseOp op{
      .arity = 2,
      .kernels = &kKernels<LogAddExp, InexactTypes>,
      .takes = "floating and complex dtypes",
      .formula = "x - y == x - y ? maximum(x, y) + log1p(exp(-absolute(x - y))) : x + y"};
  return op;
}
const PointwiseOp& logaddexp2_op() {
  static constexpr PointwiseOp op =
      floating_op<LogAddExp2>(2,
                              "x - y == x - y ? maximum(x, y) + log1p(exp2(-absolute(x - y))) * "
                              "1.4426950408889634 : x + y");
  return op;
}
}  // namespace opwright
