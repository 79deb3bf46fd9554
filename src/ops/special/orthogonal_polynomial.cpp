// Orthogonal polynomials of degree n at x: Chebyshev's of four kinds, also shifted to [0, 1];
// Hermite's H and He; Laguerre's and Legendre's. A negative degree gives 0.
//
// Three-term recurrences (DLMF 18.9.1); Chebyshev's inside (-1, 1) by angles (DLMF 18.5.1).
#include <cmath>
#include <cstdint>

#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

// From this degree on, the angles are faster.
constexpr int64_t kFirstByAngle = 7;

// Whether a recurrence has reached NaN, which it keeps; looks at a few of the degrees.
bool is_over(int64_t degree, double value) { return degree % 32 == 0 && value != value; }

double sign_of_degree(int64_t n) { return n % 2 == 0 ? 1 : -1; }

// p(n) = 2x p(n - 1) - p(n - 2) for n >= 1. Beyond 1, all kinds have the sign of x^n: so has the
// infinity where they overflow.
double recur_chebyshev(double x, int64_t n, double p0, double p1) {
  double before = p0;
  double value = p1;
  for (int64_t k = 2; k <= n && !is_over(k, value); ++k) {
    const double next = 2 * x * value - before;
    before = value;
    value = next;
  }
  if (value == value || std::isnan(x)) return value;
  return x < 0 ? sign_of_degree(n) * kInfinite : kInfinite;
}
bool has_angle(double x, int64_t n) { return n >= kFirstByAngle && std::abs(x) < 1; }

double chebyshev_t(double x, int64_t n) {
  if (n == 0) return 1;
  if (has_angle(x, n)) return std::cos(static_cast<double>(n) * std::acos(x));
  return recur_chebyshev(x, n, 1, x);
}
double chebyshev_u(double x, int64_t n) {
  if (n == 0) return 1;
  if (!has_angle(x, n)) return recur_chebyshev(x, n, 1, 2 * x);
  const double angle = std::acos(x);
  return std::sin((static_cast<double>(n) + 1) * angle) / std::sin(angle);
}
// Those of the third and fourth kind are each other's at -x, up to the sign.
double chebyshev_w(double x, int64_t n);
double chebyshev_v(double x, int64_t n) {
  if (n == 0) return 1;
  if (!has_angle(x, n)) return recur_chebyshev(x, n, 1, 2 * x - 1);
  if (x < 0) return sign_of_degree(n) * chebyshev_w(-x, n);
  const double angle = std::acos(x);
  return std::cos((static_cast<double>(n) + 0.5) * angle) / std::cos(angle / 2);
}
double chebyshev_w(double x, int64_t n) {
  if (n == 0) return 1;
  if (!has_angle(x, n)) return recur_chebyshev(x, n, 1, 2 * x + 1);
  if (x < 0) return sign_of_degree(n) * chebyshev_v(-x, n);
  const double angle = std::acos(x);
  return std::sin((static_cast<double>(n) + 0.5) * angle) / std::sin(angle / 2);
}

double hermite_h(double x, int64_t n) {
  if (n == 0) return 1;
  double before = 1;
  double value = 2 * x;
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const auto degree = static_cast<double>(k);
    const double next = 2 * (x * value - degree * before);
    before = value;
    value = next;
  }
  return value;
}
double hermite_he(double x, int64_t n) {
  if (n == 0) return 1;
  double before = 1;
  double value = x;
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const auto degree = static_cast<double>(k);
    const double next = x * value - degree * before;
    before = value;
    value = next;
  }
  return value;
}
double laguerre(double x, int64_t n) {
  if (n == 0 || x == 0) return 1;
  double before = 1;
  double value = 1 - x;
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const auto degree = static_cast<double>(k);
    const double next = ((2 * degree + 1 - x) * value - degree * before) / (degree + 1);
    before = value;
    value = next;
  }
  return value;
}
double legendre(double x, int64_t n) {
  if (n == 0) return 1;
  if (std::abs(x) == 1) return x > 0 ? 1 : sign_of_degree(n);
  double before = 1;
  double value = x;
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const auto degree = static_cast<double>(k);
    const double next = ((2 * degree + 1) * x * value - degree * before) / (degree + 1);
    before = value;
    value = next;
  }
  return value;
}

using PolynomialFunction = double(double x, int64_t n);

// The degree is truncated to an int.
template <PolynomialFunction* kPolynomial, bool kIsShifted = false>
struct OfDegree {
  static constexpr bool kIsScalar = true;
  static double of(double x, double n) {
    const auto degree = float_to_int<int64_t>(n);
    return degree < 0 ? 0 : kPolynomial(kIsShifted ? 2 * x - 1 : x, degree);
  }
};

template <class T>
using ChebyshevT = WidePairFunction<T, OfDegree<&chebyshev_t>>;
template <class T>
using ChebyshevU = WidePairFunction<T, OfDegree<&chebyshev_u>>;
template <class T>
using ChebyshevV = WidePairFunction<T, OfDegree<&chebyshev_v>>;
template <class T>
using ChebyshevW = WidePairFunction<T, OfDegree<&chebyshev_w>>;
template <class T>
using ShiftedChebyshevT = WidePairFunction<T, OfDegree<&chebyshev_t, true>>;
template <class T>
using ShiftedChebyshevU = WidePairFunction<T, OfDegree<&chebyshev_u, true>>;
template <class T>
using ShiftedChebyshevV = WidePairFunction<T, OfDegree<&chebyshev_v, true>>;
template <class T>
using ShiftedChebyshevW = WidePairFunction<T, OfDegree<&chebyshev_w, true>>;
template <class T>
using HermiteH = WidePairFunction<T, OfDegree<&hermite_h>>;
template <class T>
using HermiteHe = WidePairFunction<T, OfDegree<&hermite_he>>;
template <class T>
using Laguerre = WidePairFunction<T, OfDegree<&laguerre>>;
template <class T>
using Legendre = WidePairFunction<T, OfDegree<&legendre>>;

}  // namespace

const PointwiseOp& chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = inexact_float_op<ChebyshevT>(2);
  return op;
}
const PointwiseOp& chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = inexact_float_op<ChebyshevU>(2);
  return op;
}
const PointwiseOp& chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = inexact_float_op<ChebyshevV>(2);
  return op;
}
const PointwiseOp& chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = inexact_float_op<ChebyshevW>(2);
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = inexact_float_op<ShiftedChebyshevT>(2);
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = inexact_float_op<ShiftedChebyshevU>(2);
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = inexact_float_op<ShiftedChebyshevV>(2);
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = inexact_float_op<ShiftedChebyshevW>(2);
  return op;
}
const PointwiseOp& hermite_polynomial_h_op() {
  static constexpr PointwiseOp op = inexact_float_op<HermiteH>(2);
  return op;
}
const PointwiseOp& hermite_polynomial_he_op() {
  static constexpr PointwiseOp op = inexact_float_op<HermiteHe>(2);
  return op;
}
const PointwiseOp& laguerre_polynomial_l_op() {
  static constexpr PointwiseOp op = inexact_float_op<Laguerre>(2);
  return op;
}
const PointwiseOp& legendre_polynomial_p_op() {
  static constexpr PointwiseOp op = inexact_float_op<Legendre>(2);
  return op;
}

}  // namespace opwright
