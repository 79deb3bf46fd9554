// igamma and igammac: the regularized incomplete gamma functions P and Q.
//
// The power series of P (DLMF 8.7.1), the continued fraction of Q (DLMF 8.9.2), a series of Q for
// small numbers, and the uniform expansion for large a near x (DLMF 8.12).
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>

#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/incomplete_gamma_coefficients.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

constexpr double kSmallest = std::numeric_limits<double>::epsilon() / 2;

// m - log(1 + m) for m > -1, without cancellation near 0.
double excess_over_log(double m) {
  if (std::abs(m) > 0.5) return m - std::log1p(m);
  // log(1 + m) = 2 (t + t^3/3 + ...) with t = m / (2 + m), and m - 2t = m t
  const double t = m / (2 + m);
  const double z = t * t;
  double sum = 0;
  double power = t * z;
  for (int k = 3; k < 40 && std::abs(power) > kSmallest * std::abs(sum); k += 2) {
    sum += power / k;
    power *= z;
  }
  return m * t - 2 * sum;
}

// log(Gamma(a)) minus Stirling's (a - 1/2) log(a) - a + log(2 pi) / 2, for a >= 10.
double stirling_rest(double a) {
  const double z = 1 / (a * a);
  return (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z * (1.0 / 1680 - z / 1188)))) / a;
}

// x^a e^-x / Gamma(a + 1)
double leading_factor(double a, double x) {
  if (a < 10) {
    // Gamma(a + 10) = (a + 1) ... (a + 9) Gamma(a + 1)
    constexpr double kHalfLogTwoPi = 0.91893853320467274;
    double product = 1;
    for (int i = 1; i < 10; ++i) product *= a + i;
    const double y = a + 10;
    const double log_gamma = (y - 0.5) * std::log(y) - y + (kHalfLogTwoPi + stirling_rest(y));
    return product * std::exp(a * std::log(x) - x - log_gamma);
  }
  const double exponent = a * excess_over_log((x - a) / a);
  return std::exp(-exponent - stirling_rest(a)) / std::sqrt(2 * std::numbers::pi * a);
}

// Sums stop where terms are below `tolerance`. The bound is only for safety: below the band of
// is_near, about 1600 terms are enough for the largest `a` whose factor is not 0.
double lower_series(double a, double x, double tolerance) {
  constexpr int kMostTerms = 2000;
  const double factor = leading_factor(a, x);
  if (factor == 0) return 0;
  double term = 1;
  double sum = 1;
  for (int k = 1; k < kMostTerms && term > tolerance * sum; ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * factor;
}

// The numerators or the denominators of the continued fraction's convergents, divided by
// (k + 1)!. All terms are positive: up to k = a those of the recurrence of values, from there on
// those of the recurrence of differences.
struct Convergent {
  double before, value, difference;

  void step(double k, double a, double x) {
    const double inverse = 1 / (k + 1);
    if (k < a) {
      const double next = ((x + 1 - a + 2 * k) * value + (a - k) * before) * inverse;
      difference = next - value;
    } else {
      difference = x * inverse * value + (k - a) * inverse * difference;
    }
    before = value;
    value += difference;
  }
  void scale(double factor) {
    before *= factor;
    value *= factor;
    difference *= factor;
  }
};

// The continued fraction for x > a. A step has no division that waits for the one before, so the
// convergents themselves are computed only now and then.
double upper_fraction(double a, double x, double tolerance) {
  constexpr double kStepsBetween = 4;
  constexpr double kLarge = 0x1p400;
  const double factor = a * leading_factor(a, x);
  if (factor == 0) return 0;
  Convergent over{0, 1, 1};
  Convergent under{1, x + 1 - a, x - a};
  double fraction = over.value / under.value;
  for (double k = 1; k < 10000; k += kStepsBetween) {
    for (double i = 0; i < kStepsBetween; ++i) {
      over.step(k + i, a, x);
      under.step(k + i, a, x);
    }
    const double before = std::exchange(fraction, over.value / under.value);
    if (std::abs(fraction - before) <= 2 * tolerance * fraction) break;
    if (under.value < kLarge) continue;
    over.scale(1 / kLarge);
    under.scale(1 / kLarge);
  }
  return fraction * factor;
}

// log(Gamma(1 + a)) for 0 <= a <= 1.1, with the digits of a small a.
double lgamma_after_one(double a) {
  constexpr double kEuler = std::numbers::egamma;
  // zeta(k) - 1 for k = 2, 3, ...
  constexpr std::array kZetaExcess{
      0.6449340668482264,    0.2020569031595943,    0.08232323371113819,   0.03692775514336993,
      0.01734306198444914,   0.008349277381922827,  0.00407735619794434,   0.0020083928260822143,
      0.0009945751278180853, 0.0004941886041194645, 0.0002460865533080483, 0.00012271334757848915,
      6.124813505870483e-05, 3.058823630702049e-05, 1.528225940865187e-05, 7.637197637899763e-06,
      3.81729326499984e-06,  1.908212716553939e-06};
  if (a > 0.3) {
    int sign = 0;
    return ::lgamma_r(1 + a, &sign);
  }
  double sum = (1 - kEuler) * a - std::log1p(a);
  double power = a * a;
  double k = 2;
  for (const double each : kZetaExcess) {
    sum += each * power / k;
    power *= -a;
    k += 1;
  }
  return sum;
}

// 1 - x^a / Gamma(1 + a) (1 + a sum of (-x)^k / ((a + k) k!)), for x <= 1.1.
double upper_series(double a, double x, double tolerance) {
  const double log_factor = a * std::log(x) - lgamma_after_one(a);
  double sum = 0;
  double power = 1;
  for (double k = 1; k < 100; k += 1) {
    power *= -x / k;
    const double term = power / (a + k);
    sum += term;
    if (std::abs(term) <= tolerance * std::abs(sum)) break;
  }
  return -std::expm1(log_factor) - std::exp(log_factor) * a * sum;
}

// Returns P if `is_lower`, else Q.
double uniform_expansion(double a, double x, bool is_lower) {
  const double m = (x - a) / a;
  const double half_square = excess_over_log(m);
  const double eta = std::copysign(std::sqrt(2 * half_square), m);
  double sum = 0;
  for (size_t k = kUniformEnds.size(); k-- > 0;) {
    double row = 0;
    const size_t begin = k == 0 ? 0 : kUniformEnds[k - 1];
    for (size_t n = kUniformEnds[k]; n-- > begin;) row = row * eta + kUniformSeries[n];
    sum = sum / a + row;
  }
  const double rest = std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) * sum;
  const double argument = eta * std::sqrt(a / 2);
  return is_lower ? std::erfc(-argument) / 2 - rest : std::erfc(argument) / 2 + rest;
}

// The expansion takes over where the series or the fraction would need thousands of terms: for a
// large `a` in a band that does not shrink, whose borders have the factor 0 above a = 6e5.
bool is_near(double a, double x) {
  constexpr double kLarge = 1e5;
  const double distance = std::abs(x - a) / a;
  if (a > kLarge) return distance < 0.05;
  return a > 25 && distance < (a > 200 ? 4.5 / std::sqrt(a) : 0.35);
}

// P if `is_lower`, else Q, of finite positive numbers.
double regularized(double a, double x, bool is_lower, double tolerance) {
  if (is_near(a, x)) return uniform_expansion(a, x, is_lower);
  if (x > 1.1 && x > a) {
    const double upper = upper_fraction(a, x, tolerance);
    return is_lower ? 1 - upper : upper;
  }
  if (is_lower) return lower_series(a, x, tolerance);
  return x <= 1.1 && a <= 1.1 ? upper_series(a, x, tolerance) : 1 - lower_series(a, x, tolerance);
}

double incomplete_gamma(double a, double x, bool is_lower, double tolerance) {
  if (x < 0 || a < 0) return kNotANumber;
  if (a == 0) return x > 0 ? (is_lower ? 1 : 0) : kNotANumber;
  if (x == 0) return is_lower ? 0 : 1;
  if (std::isinf(a)) return std::isinf(x) ? kNotANumber : (is_lower ? 0 : 1);
  if (std::isinf(x)) return is_lower ? 1 : 0;
  if (std::isnan(a) || std::isnan(x)) return kNotANumber;
  return regularized(a, x, is_lower, tolerance);
}

template <class T, bool kIsLower>
struct IncompleteGamma {
  static constexpr bool kIsScalar = true;
  static constexpr double kTolerance = std::is_same_v<T, float> ? 1e-10 : kSmallest;
  T operator()(T a, T x) const {
    return static_cast<T>(
        incomplete_gamma(static_cast<double>(a), static_cast<double>(x), kIsLower, kTolerance));
  }
};
template <class T>
using LowerGamma = IncompleteGamma<T, true>;
template <class T>
using UpperGamma = IncompleteGamma<T, false>;

}  // namespace

const PointwiseOp& igamma_op() {
  static constexpr PointwiseOp op = floating_op<LowerGamma>(2);
  return op;
}
const PointwiseOp& igammac_op() {
  static constexpr PointwiseOp op = floating_op<UpperGamma>(2);
  return op;
}

}  // namespace opwright
