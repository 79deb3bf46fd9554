// sinh, cosh, tanh, asinh, acosh, atanh.
#include <cmath>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

struct SinhFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::sinh(x); }
  template <class V>
  static V exact(V x) {
    return std::sinh(x);
  }
};
template <class T>
using Sinh = MathFunction<T, SinhFunction>;

struct CoshFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::cosh(x); }
  template <class V>
  static V exact(V x) {
    return std::cosh(x);
  }
};
template <class T>
using Cosh = MathFunction<T, CoshFunction>;

struct TanhFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::tanh(x); }
  template <class V>
  static V exact(V x) {
    return std::tanh(x);
  }
};
template <class T>
using Tanh = MathFunction<T, TanhFunction>;

struct AsinhFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::asinh(x); }
  template <class V>
  static V exact(V x) {
    return std::asinh(x);
  }
};
template <class T>
using Asinh = MathFunction<T, AsinhFunction>;

struct AcoshFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::acosh(x); }
  template <class V>
  static V exact(V x) {
    return std::acosh(x);
  }
};
template <class T>
using Acosh = MathFunction<T, AcoshFunction>;

struct AtanhFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::atanh(x); }
  template <class V>
  static V exact(V x) {
    return std::atanh(x);
  }
};
template <class T>
using Atanh = MathFunction<T, AtanhFunction>;

}  // namespace

const PointwiseOp& sinh_op() {
  static constexpr PointwiseOp op{
      .arity = 1,
      .kernels = &kKernels<Sinh, InexactTypes>,
      .rule = ResultRule::Inexact,
      .formula =
          "copysign(absolute(x) > 80 ? 0.5 * exp(0.5 * absolute(x)) * exp(0.5 * absolute(x)) : 0.5 "
          "* (expm1(absolute(x)) + expm1(absolute(x)) / (1 + expm1(absolute(x)))), x)"};
  return op;
}

const PointwiseOp& cosh_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Cosh, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula =
                                      "absolute(x) > 80 ? 0.5 * exp(0.5 * absolute(x)) * exp(0.5 * "
                                      "absolute(x)) : 0.5 * (exp(x) + exp(-x))"};
  return op;
}

const PointwiseOp& tanh_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Tanh, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "tanh(x)"};
  return op;
}

const PointwiseOp& asinh_op() {
  static constexpr PointwiseOp op{
      .arity = 1,
      .kernels = &kKernels<Asinh, InexactTypes>,
      .rule = ResultRule::Inexact,
      .formula =
          "copysign(absolute(x) > 4e7 ? log(absolute(x)) + 0.6931471805599453 : log1p(absolute(x) "
          "+ x * x / (1 + sqrt(x * x + 1))), x)"};
  return op;
}

const PointwiseOp& acosh_op() {
  static constexpr PointwiseOp op{
      .arity = 1,
      .kernels = &kKernels<Acosh, InexactTypes>,
      .rule = ResultRule::Inexact,
      .formula =
          "x > 4e7 ? log(x) + 0.6931471805599453 : log1p(x - 1 + sqrt(x - 1) * sqrt(x + 1))"};
  return op;
}

const PointwiseOp& atanh_op() {
  static constexpr PointwiseOp op{
      .arity = 1,
      .kernels = &kKernels<Atanh, InexactTypes>,
      .rule = ResultRule::Inexact,
      .formula = "copysign(0.5 * log1p(2 * absolute(x) / (1 - absolute(x))), x)"};
  return op;
}

}  // namespace opwright
