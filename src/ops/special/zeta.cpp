// zeta: the Hurwitz zeta function, by direct summation and the Euler-Maclaurin formula for the rest
// (DLMF 25.11.5).
#include <array>
#include <cmath>
#include <limits>

#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/hurwitz_zeta.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

// B(2j) / (2j)! for j = 1, 2, ...
constexpr std::array kBernoulliOverFactorial{
    0.08333333333333333,   -0.001388888888888889,  3.306878306878307e-05,  -8.267195767195768e-07,
    2.08767569878681e-08,  -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19};

// Of a positive q.
double sum_series(double s, double q) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 4;
  // From there on, the terms of the correction decrease quickly.
  const double end = s + 10;
  double sum = 0;
  double a = q;
  for (; a < end; a += 1) {
    const double term = std::pow(a, -s);
    sum += term;
    if (term <= kEpsilon * sum) return sum;
  }
  const double power = std::pow(a, -s);
  sum += std::pow(a, 1 - s) / (s - 1) + power / 2;
  double factor = s * power / a;
  for (size_t j = 0; j < kBernoulliOverFactorial.size(); ++j) {
    const double term = kBernoulliOverFactorial[j] * factor;
    sum += term;
    if (std::abs(term) <= kEpsilon * sum) break;
    const double k = 2 * static_cast<double>(j) + 1;
    factor *= (s + k) * (s + k + 1) / (a * a);
  }
  return sum;
}

struct ZetaFunction {
  static constexpr bool kIsScalar = true;
  static double of(double s, double q) { return hurwitz_zeta(s, q); }
};
template <class T>
using Zeta = WidePairFunction<T, ZetaFunction>;

}  // namespace

double hurwitz_zeta(double s, double q) {
  if (s == 1) return kInfinite;
  if (s < 1) return kNotANumber;
  if (q > 0) return std::isnan(s) ? s : sum_series(s, q);
  if (q == std::floor(q)) return kInfinite;
  if (s != std::floor(s) || std::isnan(q)) return kNotANumber;
  if (std::isinf(s)) return kInfinite;
  // The terms of negative q + k are those of a difference of two zeta functions, up to the sign.
  const double below = std::floor(q);
  const double above = (below + 1) - q;  // exact for a q just below an integer
  const double negative = sum_series(s, above) - sum_series(s, above - below);
  return sum_series(s, q - below) + (std::fmod(s, 2) == 0 ? negative : -negative);
}

const PointwiseOp& zeta_op() {
  static constexpr PointwiseOp op = inexact_float_op<Zeta>(2);
  return op;
}

}  // namespace opwright
