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

// A family has p(0) = 1, p(1) = first(x) and p(k + 1) = next(x, k, p(k), p(k - 1)), and finish(x,
// n, p(n)) for where that overflows. If it has by_angle(x, n), this is used in (-1, 1) from a
// degree on at which it is faster; if it has is_unit(x), all p(n) are 1 there, or -1 for negative x
// and odd n.
constexpr int64_t kFirstByAngle = 7;
// Beyond it, elements end their recurrences on their own, as soon as they are known.
constexpr int64_t kMostSideBySide = 1000;

// Whether a recurrence has reached NaN, which it keeps; looks at a few of the degrees.
bool is_over(int64_t degree, double value) { return degree % 32 == 0 && value != value; }

constexpr double sign_of_degree(int64_t n) { return n % 2 == 0 ? 1 : -1; }

struct Family {
  OPWRIGHT_INLINE static double finish(double /*x*/, int64_t /*n*/, double value) { return value; }
};

// Beyond 1, all kinds have the sign of x^n: so has the infinity where they overflow.
struct Chebyshev {
  OPWRIGHT_INLINE static double next(double x, double /*k*/, double value, double before) {
    return 2 * x * value - before;
  }
  OPWRIGHT_INLINE static double finish(double x, int64_t n, double value) {
    const double limit = x < 0 ? sign_of_degree(n) * kInfinite : kInfinite;
    return ((value == value) | (x != x)) ? value : limit;
  }
};
struct ChebyshevT : Chebyshev {
  OPWRIGHT_INLINE static double first(double x) { return x; }
  static double by_angle(double x, int64_t n) {
    return std::cos(static_cast<double>(n) * std::acos(x));
  }
};
struct ChebyshevU : Chebyshev {
  OPWRIGHT_INLINE static double first(double x) { return 2 * x; }
  static double by_angle(double x, int64_t n) {
    const double angle = std::acos(x);
    return std::sin((static_cast<double>(n) + 1) * angle) / std::sin(angle);
  }
};
// Those of the third and fourth kind are each other's at -x, up to the sign.
struct ChebyshevV : Chebyshev {
  OPWRIGHT_INLINE static double first(double x) { return 2 * x - 1; }
  static double by_angle(double x, int64_t n);
};
struct ChebyshevW : Chebyshev {
  OPWRIGHT_INLINE static double first(double x) { return 2 * x + 1; }
  static double by_angle(double x, int64_t n) {
    if (x < 0) return sign_of_degree(n) * ChebyshevV::by_angle(-x, n);
    const double angle = std::acos(x);
    return std::sin((static_cast<double>(n) + 0.5) * angle) / std::sin(angle / 2);
  }
};
double ChebyshevV::by_angle(double x, int64_t n) {
  if (x < 0) return sign_of_degree(n) * ChebyshevW::by_angle(-x, n);
  const double angle = std::acos(x);
  return std::cos((static_cast<double>(n) + 0.5) * angle) / std::cos(angle / 2);
}

struct HermiteH : Family {
  OPWRIGHT_INLINE static double first(double x) { return 2 * x; }
  OPWRIGHT_INLINE static double next(double x, double k, double value, double before) {
    return 2 * (x * value - k * before);
  }
};
struct HermiteHe : Family {
  OPWRIGHT_INLINE static double first(double x) { return x; }
  OPWRIGHT_INLINE static double next(double x, double k, double value, double before) {
    return x * value - k * before;
  }
};
struct Laguerre : Family {
  static bool is_unit(double x) { return x == 0; }
  OPWRIGHT_INLINE static double first(double x) { return 1 - x; }
  OPWRIGHT_INLINE static double next(double x, double k, double value, double before) {
    return ((2 * k + 1 - x) * value - k * before) / (k + 1);
  }
};
struct Legendre : Family {
  static bool is_unit(double x) { return std::abs(x) == 1; }
  OPWRIGHT_INLINE static double first(double x) { return x; }
  OPWRIGHT_INLINE static double next(double x, double k, double value, double before) {
    return ((2 * k + 1) * x * value - k * before) / (k + 1);
  }
};

template <class F>
constexpr bool goes_by_angle(int64_t n) {
  return n >= kFirstByAngle && requires(double x) { F::by_angle(x, n); };
}

template <class F>
double polynomial_of(double x, int64_t n) {
  if (n <= 0) return n == 0 ? 1 : 0;
  if constexpr (requires { F::by_angle(x, n); }) {
    if (goes_by_angle<F>(n) && std::abs(x) < 1) return F::by_angle(x, n);
  }
  if constexpr (requires { F::is_unit(x); }) {
    if (F::is_unit(x)) return x < 0 ? sign_of_degree(n) : 1;
  }
  double before = 1;
  double value = F::first(x);
  for (int64_t k = 1; k < n && !is_over(k, value); ++k) {
    const double next = F::next(x, static_cast<double>(k), value, before);
    before = value;
    value = next;
  }
  return F::finish(x, n, value);
}

// The degree is truncated to an int.
template <class F, bool kIsShifted>
struct OfDegree {
  static constexpr bool kIsScalar = true;
  static double of(double x, double n) {
    return polynomial_of<F>(kIsShifted ? 2 * x - 1 : x, float_to_int<int64_t>(n));
  }
};

// The recurrence of some elements side by side, for one positive degree.
template <class T, class F, bool kIsShifted>
struct RecurrenceLoop {
  static constexpr int64_t kLanes = 32;
  using Lanes = std::array<double, kLanes>;

  OPWRIGHT_INLINE static void run(int64_t degree, const T* in, T* out, int64_t count) {
    for (int64_t at = 0; at < count; at += kLanes) {
      const int64_t used = std::min(kLanes, count - at);
      alignas(64) Lanes x{};
      for (int64_t i = 0; i < used; ++i)
        x[static_cast<size_t>(i)] = static_cast<double>(in[at + i]);
      alignas(64) Lanes value;
      compute(degree, x, value);
      for (int64_t i = 0; i < used; ++i)
        out[at + i] = static_cast<T>(value[static_cast<size_t>(i)]);
    }
  }

 private:
  OPWRIGHT_INLINE static void compute(int64_t degree, Lanes& x, Lanes& value) {
    alignas(64) Lanes before;
    for (size_t i = 0; i < kLanes; ++i) {
      x[i] = kIsShifted ? 2 * x[i] - 1 : x[i];
      before[i] = 1;
      value[i] = F::first(x[i]);
    }
    for (int64_t k = 1; k < degree; ++k) {
      const auto from = static_cast<double>(k);
      OPWRIGHT_INDEPENDENT_ITERATIONS
      for (size_t i = 0; i < kLanes; ++i) {
        const double next = F::next(x[i], from, value[i], before[i]);
        before[i] = value[i];
        value[i] = next;
      }
    }
    for (size_t i = 0; i < kLanes; ++i) value[i] = F::finish(x[i], degree, value[i]);
  }
};

template <class T, class F, bool kIsShifted>
void compute_degree(std::span<const Scalar> numbers, std::byte* output,
                    const std::byte* const* inputs, int64_t count) {
  const auto degree = float_to_int<int64_t>(number_as<T>(numbers[0]));
  const T* in = reinterpret_cast<const T*>(inputs[0]);
  T* out = reinterpret_cast<T*>(output);
  if (degree > 0) return run_at_level<RecurrenceLoop<T, F, kIsShifted>>(degree, in, out, count);
  std::fill_n(out, count, static_cast<T>(degree == 0 ? 1 : 0));
}

template <class F, bool kIsShifted>
constexpr KernelTable make_degree_kernels() {
  KernelTable table{};
  const auto add = [&]<class T>(T) {
    const PointwiseKernel kernel = &compute_degree<T, F, kIsShifted>;
    table[kernel_index(dtype_of<T>())] = {
        .by_level = {kernel, kernel, kernel}, .repeated_by_level = {}, .output = dtype_of<T>()};
  };
  add(float{});
  add(double{});
  return table;
}
template <class F, bool kIsShifted>
inline constexpr KernelTable kDegreeKernels = make_degree_kernels<F, kIsShifted>();

// A degree that is a number, and small enough, leaves one operand.
template <class F, bool kIsShifted>
void choose_degree(PointwiseCall& call) {
  static constexpr PointwiseOp of_degree{.arity = 1,
                                         .kernels = &kDegreeKernels<F, kIsShifted>,
                                         .rule = ResultRule::Inexact,
                                         .takes = "real dtypes"};
  const PointwiseOperand& degree = call.operands[1];
  const OpwTag tag = degree.number.tag();
  if (!call.operands[0].is_tensor() || degree.is_tensor()) return;
  if (tag == kOpwComplex || tag == kOpwSymInt) return;
  const auto n = float_to_int<int64_t>(degree.number.to<double>());
  if (n > kMostSideBySide || goes_by_angle<F>(n)) return;
  call.numbers.push_back(degree.number);
  call.op = &of_degree;
  call.operands.pop_back();
}

template <class F, bool kIsShifted>
struct Polynomials {
  template <class T>
  using Function = WidePairFunction<T, OfDegree<F, kIsShifted>>;
};

template <class F, bool kIsShifted = false>
constexpr PointwiseOp make_polynomial_op() {
  PointwiseOp op = inexact_float_op<Polynomials<F, kIsShifted>::template Function>(2);
  op.prepare = &choose_degree<F, kIsShifted>;
  return op;
}

}  // namespace

const PointwiseOp& chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevT>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevU>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevV>();
  return op;
}
const PointwiseOp& chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevW>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_t_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevT, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_u_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevU, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_v_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevV, true>();
  return op;
}
const PointwiseOp& shifted_chebyshev_polynomial_w_op() {
  static constexpr PointwiseOp op = make_polynomial_op<ChebyshevW, true>();
  return op;
}
const PointwiseOp& hermite_polynomial_h_op() {
  static constexpr PointwiseOp op = make_polynomial_op<HermiteH>();
  return op;
}
const PointwiseOp& hermite_polynomial_he_op() {
  static constexpr PointwiseOp op = make_polynomial_op<HermiteHe>();
  return op;
}
const PointwiseOp& laguerre_polynomial_l_op() {
  static constexpr PointwiseOp op = make_polynomial_op<Laguerre>();
  return op;
}
const PointwiseOp& legendre_polynomial_p_op() {
  static constexpr PointwiseOp op = make_polynomial_op<Legendre>();
  return op;
}

}  // namespace opwright
