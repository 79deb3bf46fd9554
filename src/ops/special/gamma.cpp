// lgamma, digamma, polygamma.
//
// Stirling's series (DLMF 5.11.1 and 5.11.2) beyond 8 and 10, upward recurrence to there, and
// reflection for negative numbers. polygamma is a Hurwitz zeta function (DLMF 25.11.12).
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/half_turns.h"
#include "opwright/ops/special/hurwitz_zeta.h"
#include "opwright/ops/special/wide_function.h"
#include "opwright/value.h"

namespace opwright {
namespace {

// B(2k) / (2k (2k - 1)) and B(2k) / (2k) for k = 1, 2, ...
constexpr std::array kStirlingOfLog{
    0.08333333333333333,   -0.002777777777777778,  0.0007936507936507937, -0.0005952380952380953,
    0.0008417508417508417, -0.0019175269175269176, 0.00641025641025641};
constexpr std::array kStirlingOfSlope{
    0.08333333333333333,  -0.008333333333333333, 0.003968253968253968, -0.004166666666666667,
    0.007575757575757576, -0.021092796092796094, 0.08333333333333333,  -0.4432598039215686};

struct LgammaFunction {
  static constexpr bool kHasExact = true;
  OPWRIGHT_INLINE static double of(double x) {
    constexpr double kHalfLogTwoPi = 0.91893853320467274;
    const bool is_reflected = x < 0.5;
    const double z = is_reflected ? 1.0 - x : x;
    const bool is_raised = z < 8.0;
    // z (z + 1) ... (z + 7), from the pairs (z + i) (z + 7 - i)
    const double u = z * (z + 7.0);
    const double product = is_raised ? u * (u + 6.0) * (u + 10.0) * (u + 12.0) : 1.0;
    const double y = is_raised ? z + 8.0 : z;
    const double r = 1.0 / y;
    const double series = (y - 0.5) * vector_math::log(y) - y +
                          (kHalfLogTwoPi + r * polynomial<kStirlingOfLog>(r * r));
    const double sine = magnitude_of(sin_pi(x - std::nearbyint(x)));
    const double factor = is_reflected ? product * std::numbers::pi / sine : product;
    const double rest = vector_math::log(factor);
    const double result = is_reflected ? rest - series : series - rest;
    const bool is_finite = magnitude_of(x) < kInfinite;
    const double limit = x == x ? kInfinite : x;
    return is_finite ? result : limit;
  }
  static double exact(double x) {
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
};
template <class T>
using Lgamma = WideFunction<T, LgammaFunction>;

struct DigammaFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const bool is_reflected = x < 0.0;
    const double z = is_reflected ? 1.0 - x : x;
    const bool is_raised = z < 10.0;
    // The sum of 1 / (z + i) for i < 10, from the pairs i and 9 - i, as one quotient.
    const double u = z * (z + 9.0);
    const double p = u + 8.0;
    const double q = u + 14.0;
    const double s = u + 18.0;
    const double t = u + 20.0;
    const double upper = p * q * s * t + u * (q * s * t + p * (s * t + q * (s + t)));
    const double sum = (2.0 * z + 9.0) * (upper / (p * q * s * t)) / u;
    const double y = is_raised ? z + 10.0 : z;
    const double r = 1.0 / y;
    const double series =
        vector_math::log(y) - 0.5 * r - r * r * polynomial<kStirlingOfSlope>(r * r);
    const double above = is_raised ? series - sum : series;
    const double turn = x - std::nearbyint(x);
    const double cotangent = std::numbers::pi * cos_pi(turn) / sin_pi(turn);
    const double below = turn == 0.0 ? kNotANumber : above - cotangent;
    const double result = is_reflected ? below : above;
    const double at_zero = x == 0.0 ? vector_math::with_sign_of(kInfinite, -x) : result;
    return x < kInfinite ? at_zero : x;
  }
};
template <class T>
using Digamma = WideFunction<T, DigammaFunction>;

// Beyond 8 Stirling's series (DLMF 5.15.8), whose coefficients are Bernoulli's numbers.
constexpr std::array kStirlingOfCurvature{
    0.16666666666666666, -0.03333333333333333, 0.023809523809523808, -0.03333333333333333,
    0.07575757575757576, -0.2531135531135531,  1.1666666666666667,   -7.092156862745098};
struct TrigammaFunction {
  OPWRIGHT_INLINE static double of(double x) {
    const bool is_reflected = x < 0.0;
    const double z = is_reflected ? 1.0 - x : x;
    double sum = 0.0;
    for (int i = 0; i < 9; ++i) {
      const double inverse = 1.0 / (z + i);
      sum += inverse * inverse;
    }
    const bool is_raised = z < 9.0;
    const double y = is_raised ? z + 9.0 : z;
    const double r = 1.0 / y;
    const double series = r + r * r * (0.5 + r * polynomial<kStirlingOfCurvature>(r * r));
    const double above = is_raised ? series + sum : series;
    const double ratio = std::numbers::pi / sin_pi(x - std::nearbyint(x));
    return is_reflected ? ratio * ratio - above : above;
  }
};
template <class T>
using Trigamma = WideFunction<T, TrigammaFunction>;

template <class T>
struct Polygamma {
  static constexpr bool kIsScalar = true;
  explicit Polygamma(std::span<const Scalar> numbers)
      : order(static_cast<double>(numbers[0].to<int64_t>())),
        factor((numbers[0].to<int64_t>() % 2 == 0 ? -1 : 1) * std::tgamma(order + 1)) {}
  OPWRIGHT_INLINE T operator()(T x) const {
    return static_cast<T>(factor * hurwitz_zeta(order + 1, static_cast<double>(x)));
  }
  double order, factor;
};

// n = 0 is digamma.
void choose_polygamma(PointwiseCall& call);

}  // namespace

const PointwiseOp& lgamma_op() {
  static constexpr PointwiseOp op = inexact_float_op<Lgamma>(1);
  return op;
}
const PointwiseOp& digamma_op() {
  static constexpr PointwiseOp op = inexact_float_op<Digamma>(1);
  return op;
}
const PointwiseOp& polygamma_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Polygamma, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes",
                                  .prepare = &choose_polygamma};
  return op;
}

namespace {

void choose_polygamma(PointwiseCall& call) {
  const auto n = ValueOf<int64_t>::read(call.others[0]);
  OPWRIGHT_CHECK(n >= 0, call.who, ": n must not be negative, got ", n);
  static constexpr PointwiseOp trigamma = inexact_float_op<Trigamma>(1);
  if (n == 0)
    call.op = &digamma_op();
  else if (n == 1)
    call.op = &trigamma;
  else
    call.numbers.push_back(n);
}

}  // namespace
}  // namespace opwright
