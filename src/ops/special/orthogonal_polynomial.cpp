// Orthogonal polynomials of degree n at x: Chebyshev's of four kinds, also shifted to [0, 1];
// Hermite's H and He; Laguerre's and Legendre's. A negative degree gives 0.
//
// Three-term recurrences (DLMF 18.9.1); Chebyshev's inside (-1, 1) by angles (DLMF 18.5.1). If the
// degree is a number, elements go through the recurrence side by side, in vector code.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/special/wide_function.h"

namespace opwright {
namespace {

// From this degree on, the angles are faster.
constexpr int64_t kFirstByAngle = 7;
// Beyond it, elements end their recurrences on their own, as soon as they are known.
constexpr int64_t kMostSideBySide = 1000;

// A coefficient that depends on the degree.
struct Linear {
  double constant = 0;
  double slope = 0;
  OPWRIGHT_INLINE double at(double k) const { return constant + slope * k; }
};

// p(0) = 1, p(1) = first_slope x - first_shift, and
// p(k + 1) = ((slope(k) x - shift(k)) p(k) - before(k) p(k - 1)) / divisor(k).
struct Family {
  double first_slope = 1;
  double first_shift = 0;
  Linear slope{};
  Linear shift{};
  Linear before{};
  Linear divisor{.constant = 1};
  // p(n) for x in (-1, 1) and large n; null if there is no such formula.
  double (*by_angle)(double x, int64_t n) = nullptr;
  // Where |x| is this, all p(n) are 1, or -1 for negative x and odd n.
  double unit = kNotANumber;
  // Where it overflows, p(n) has the sign of x^n.
  bool overflows_with_sign = false;
};

constexpr double sign_of_degree(int64_t n) { return n % 2 == 0 ? 1 : -1; }

double chebyshev_t_by_angle(double x, int64_t n) {
  return std::cos(static_cast<double>(n) * std::acos(x));
}
double chebyshev_u_by_angle(double x, int64_t n) {
  const double angle = std::acos(x);
  return std::sin((static_cast<double>(n) + 1) * angle) / std::sin(angle);
}
// Those of the third and fourth kind are each other's at -x, up to the sign.
double chebyshev_w_by_angle(double x, int64_t n);
double chebyshev_v_by_angle(double x, int64_t n) {
  if (x < 0) return sign_of_degree(n) * chebyshev_w_by_angle(-x, n);
  const double angle = std::acos(x);
  return std::cos((static_cast<double>(n) + 0.5) * angle) / std::cos(angle / 2);
}
double chebyshev_w_by_angle(double x, int64_t n) {
  if (x < 0) return sign_of_degree(n) * chebyshev_v_by_angle(-x, n);
  const double angle = std::acos(x);
  return std::sin((static_cast<double>(n) + 0.5) * angle) / std::sin(angle / 2);
}

constexpr Family make_chebyshev(double first_slope, double first_shift,
                                double (*by_angle)(double, int64_t)) {
  return {.first_slope = first_slope,
          .first_shift = first_shift,
          .slope = {.constant = 2},
          .before = {.constant = 1},
          .by_angle = by_angle,
          .overflows_with_sign = true};
}
constexpr Family kChebyshevT = make_chebyshev(1, 0, &chebyshev_t_by_angle);
constexpr Family kChebyshevU = make_chebyshev(2, 0, &chebyshev_u_by_angle);
constexpr Family kChebyshevV = make_chebyshev(2, 1, &chebyshev_v_by_angle);
constexpr Family kChebyshevW = make_chebyshev(2, -1, &chebyshev_w_by_angle);
constexpr Family kHermiteH{.first_slope = 2, .slope = {.constant = 2}, .before = {.slope = 2}};
constexpr Family kHermiteHe{.slope = {.constant = 1}, .before = {.slope = 1}};
constexpr Family kLaguerre{.first_slope = -1,
                           .first_shift = -1,
                           .slope = {.constant = -1},
                           .shift = {.constant = -1, .slope = -2},
                           .before = {.slope = 1},
                           .divisor = {.constant = 1, .slope = 1},
                           .unit = 0};
constexpr Family kLegendre{.slope = {.constant = 1, .slope = 2},
                           .before = {.slope = 1},
                           .divisor = {.constant = 1, .slope = 1},
                           .unit = 1};

bool goes_by_angle(const Family& family, int64_t n) {
  return family.by_angle && n >= kFirstByAngle;
}

// p(n) where the recurrence may have overflowed.
double finish(const Family& family, double x, int64_t n, double value) {
  if (!family.overflows_with_sign || value == value || x != x) return value;
  return x < 0 ? sign_of_degree(n) * kInfinite : kInfinite;
}

// Whether a recurrence has reached NaN, which it keeps; looks at a few of the degrees.
bool is_over(int64_t degree, double value) { return degree % 32 == 0 && value != value; }

double polynomial_of(const Family& family, double x, int64_t n) {
  if (n <= 0) return n == 0 ? 1 : 0;
  if (goes_by_angle(family, n) && std::abs(x) < 1) return family.by_angle(x, n);
  if (std::abs(x) == family.unit) return x < 0 ? sign_of_degree(n) : 1;
  double before = 1;
  double value = family.first_slope * x - family.first_shift;
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const auto degree = static_cast<double>(k);
    const double next = ((family.slope.at(degree) * x - family.shift.at(degree)) * value -
                         family.before.at(degree) * before) /
                        family.divisor.at(degree);
    before = value;
    value = next;
  }
  return finish(family, x, n, value);
}

// The degree is truncated to an int.
template <const Family& kFamily, bool kIsShifted>
struct OfDegree {
  static constexpr bool kIsScalar = true;
  static double of(double x, double n) {
    return polynomial_of(kFamily, kIsShifted ? 2 * x - 1 : x, float_to_int<int64_t>(n));
  }
};

constexpr int64_t kLanes = 32;
struct alignas(64) Lanes {
  std::array<double, kLanes> numbers;
  OPWRIGHT_INLINE double& operator[](size_t i) { return numbers[i]; }
  OPWRIGHT_INLINE double operator[](size_t i) const { return numbers[i]; }
};

// The recurrence of some elements side by side, for one positive degree.
template <bool kDivides>
struct RecurrenceLoop {
  OPWRIGHT_INLINE static void run(const Family* family, int64_t degree, const Lanes* x,
                                  Lanes* value) {
    Lanes before;
    for (size_t i = 0; i < kLanes; ++i) {
      before[i] = 1;
      (*value)[i] = family->first_slope * (*x)[i] - family->first_shift;
    }
    for (int64_t k = 1; k < degree; ++k) {
      const auto from = static_cast<double>(k);
      const double slope = family->slope.at(from);
      const double shift = family->shift.at(from);
      const double of_before = family->before.at(from);
      const double divisor = family->divisor.at(from);
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (size_t i = 0; i < kLanes; ++i) {
        double next = (slope * (*x)[i] - shift) * (*value)[i] - of_before * before[i];
        if constexpr (kDivides) next /= divisor;
        before[i] = (*value)[i];
        (*value)[i] = next;
      }
    }
  }
};

void recur(const Family& family, int64_t degree, const Lanes& x, Lanes& value) {
  if (family.divisor.slope == 0)
    run_at_level<RecurrenceLoop<false>>(&family, degree, &x, &value);
  else
    run_at_level<RecurrenceLoop<true>>(&family, degree, &x, &value);
}

template <class T>
[[gnu::noinline]] void compute_degree(const Family& family, bool is_shifted, int64_t degree,
                                      const T* in, T* out, int64_t count) {
  if (degree <= 0) {
    std::fill_n(out, count, static_cast<T>(degree == 0 ? 1 : 0));
    return;
  }
  for (int64_t at = 0; at < count; at += kLanes) {
    const auto used = static_cast<size_t>(std::min(kLanes, count - at));
    Lanes x{};
    Lanes value;
    for (size_t i = 0; i < used; ++i) {
      const auto element = static_cast<double>(in[at + static_cast<int64_t>(i)]);
      x[i] = is_shifted ? 2 * element - 1 : element;
    }
    recur(family, degree, x, value);
    for (size_t i = 0; i < used; ++i)
      out[at + static_cast<int64_t>(i)] = static_cast<T>(finish(family, x[i], degree, value[i]));
  }
}

template <class T, const Family& kFamily, bool kIsShifted>
void compute_polynomial(std::span<const Scalar> numbers, std::byte* output,
                        const std::byte* const* inputs, int64_t count) {
  compute_degree(kFamily, kIsShifted, float_to_int<int64_t>(number_as<T>(numbers[0])),
                 reinterpret_cast<const T*>(inputs[0]), reinterpret_cast<T*>(output), count);
}

template <const Family& kFamily, bool kIsShifted>
constexpr KernelTable make_degree_kernels() {
  KernelTable table{};
  const auto add = [&]<class T>(T) {
    const PointwiseKernel kernel = &compute_polynomial<T, kFamily, kIsShifted>;
    table[kernel_index(dtype_of<T>())] = {
        .by_level = {kernel, kernel, kernel}, .repeated_by_level = {}, .output = dtype_of<T>()};
  };
  add(float{});
  add(double{});
  return table;
}
template <const Family& kFamily, bool kIsShifted>
inline constexpr KernelTable kDegreeKernels = make_degree_kernels<kFamily, kIsShifted>();

// A degree that is a number, and small enough, leaves one operand.
template <const Family& kFamily, bool kIsShifted>
void choose_degree(PointwiseCall& call) {
  static constexpr PointwiseOp of_degree{.arity = 1,
                                         .kernels = &kDegreeKernels<kFamily, kIsShifted>,
                                         .rule = ResultRule::Inexact,
                                         .takes = "real dtypes"};
  const PointwiseOperand& degree = call.operands[1];
  const OpwTag tag = degree.number.tag();
  if (!call.operands[0].is_tensor() || degree.is_tensor()) return;
  if (tag == kOpwComplex || tag == kOpwSymInt) return;
  const auto n = float_to_int<int64_t>(degree.number.to<double>());
  if (n > kMostSideBySide || goes_by_angle(kFamily, n)) return;
  call.numbers.push_back(degree.number);
  call.op = &of_degree;
  call.operands.pop_back();
  call.has_hidden_number = true;
}

template <const Family& kFamily, bool kIsShifted>
struct Polynomials {
  template <class T>
  using Function = WidePairFunction<T, OfDegree<kFamily, kIsShifted>>;
};

template <const Family& kFamily, bool kIsShifted = false>
constexpr PointwiseOp make_polynomial_op() {
  PointwiseOp op = inexact_float_op<Polynomials<kFamily, kIsShifted>::template Function>(2);
  op.prepare = &choose_degree<kFamily, kIsShifted>;
  return op;
}

}  // namespace

const PointwiseOp& chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevT>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevU>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevV>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevW>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevT, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevU, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevV, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kChebyshevW, true>();
  return op;
}
const PointwiseOp& hermite_polynomial_h_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kHermiteH>();
  return op;
}
const PointwiseOp& hermite_polynomial_he_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kHermiteHe>();
  return op;
}
const PointwiseOp& laguerre_polynomial_l_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kLaguerre>();
  return op;
}
const PointwiseOp& legendre_polynomial_p_op() {
  static constexpr PointwiseOp op = make_polynomial_op<kLegendre>();
  return op;
}

}  // namespace opwright
