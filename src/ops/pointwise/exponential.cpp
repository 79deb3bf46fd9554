// exp, expm1, log, log2, log10, log1p, sqrt, rsqrt, reciprocal, erf.
#include <cmath>
#include <complex>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

// Functions missing for complex numbers in the standard library.
double expm1(double x) { return std::expm1(x); }
double log2(double x) { return std::log2(x); }
double log1p(double x) { return std::log1p(x); }
template <class R>
std::complex<R> log2(std::complex<R> x) {
  return std::log(x) / std::log(R(2));
}
// e^(a + ib) - 1 = (e^a - 1) cos b - 2 sin(b / 2)^2 + i e^a sin b
template <class R>
std::complex<R> expm1(std::complex<R> x) {
  const R half = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half * half,
          std::exp(x.real()) * std::sin(x.imag())};
}
// The magnitude of 1 + x is expanded, so that a small x keeps its digits.
template <class R>
std::complex<R> log1p(std::complex<R> x) {
  const R a = x.real();
  const R b = x.imag();
  const R angle = std::atan2(b, 1 + a);
  const bool is_small = std::abs(a) < R(0.5) && std::abs(b) < R(0.5);
  const R length = is_small ? std::log1p(a * (2 + a) + b * b) / 2 : std::log(std::hypot(1 + a, b));
  return {length, angle};
}

struct ExpFunction {
  static constexpr bool kHasDouble = true;
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::exp(x); }
  OPWRIGHT_INLINE static double vector(double x) { return vector_math::exp(x); }
  template <class V>
  static V exact(V x) {
    return std::exp(x);
  }
};
template <class T>
using Exp = MathFunction<T, ExpFunction>;

struct Expm1Function {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::expm1(x); }
  template <class V>
  static V exact(V x) {
    return expm1(x);
  }
};
template <class T>
using Expm1 = MathFunction<T, Expm1Function>;

struct LogFunction {
  static constexpr bool kHasDouble = true;
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::log(x); }
  OPWRIGHT_INLINE static double vector(double x) { return vector_math::log(x); }
  template <class V>
  static V exact(V x) {
    return std::log(x);
  }
};
template <class T>
using Log = MathFunction<T, LogFunction>;

struct Log2Function {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::log2(x); }
  template <class V>
  static V exact(V x) {
    return log2(x);
  }
};
template <class T>
using Log2 = MathFunction<T, Log2Function>;

struct Log10Function {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::log10(x); }
  template <class V>
  static V exact(V x) {
    return std::log10(x);
  }
};
template <class T>
using Log10 = MathFunction<T, Log10Function>;

struct Log1pFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::log1p(x); }
  template <class V>
  static V exact(V x) {
    return log1p(x);
  }
};
template <class T>
using Log1p = MathFunction<T, Log1pFunction>;

struct ErfFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::erf(x); }
  template <class V>
  static V exact(V x) {
    return std::erf(x);
  }
};
template <class T>
using Erf = MathFunction<T, ErfFunction>;

template <class T>
struct Sqrt {
  OPWRIGHT_INLINE T operator()(T x) const { return from_standard(std::sqrt(to_standard(x))); }
};
template <class T>
struct Reciprocal {
  OPWRIGHT_INLINE T operator()(T x) const { return divide(T(1), x); }
};
template <class T>
struct ReciprocalSqrt {
  OPWRIGHT_INLINE T operator()(T x) const {
    return divide(T(1), from_standard(std::sqrt(to_standard(x))));
  }
};

}  // namespace

const PointwiseOp& exp_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Exp, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "exp(x)"};
  return op;
}

const PointwiseOp& expm1_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Expm1, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "expm1(x)"};
  return op;
}

const PointwiseOp& log_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Log, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "log(x)"};
  return op;
}

const PointwiseOp& log2_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Log2, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "log2(x)"};
  return op;
}

const PointwiseOp& log10_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Log10, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "log10(x)"};
  return op;
}

const PointwiseOp& log1p_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Log1p, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "log1p(x)"};
  return op;
}

const PointwiseOp& erf_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Erf, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes",
                                  .formula = "erf(x)"};
  return op;
}

const PointwiseOp& sqrt_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Sqrt, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "sqrt(x)"};
  return op;
}

const PointwiseOp& rsqrt_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<ReciprocalSqrt, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "rsqrt(x)"};
  return op;
}

const PointwiseOp& reciprocal_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Reciprocal, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "1 / x"};
  return op;
}

}  // namespace opwright
