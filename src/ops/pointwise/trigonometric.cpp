// sin, cos, tan, asin, acos, atan, atan2.
#include <cmath>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

struct SinFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::sin(x); }
  OPWRIGHT_INLINE static bool is_special(float x) { return vector_math::is_large_angle(x); }
  template <class V>
  static V exact(V x) {
    return std::sin(x);
  }
};
template <class T>
using Sin = MathFunction<T, SinFunction>;

struct CosFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::cos(x); }
  OPWRIGHT_INLINE static bool is_special(float x) { return vector_math::is_large_angle(x); }
  template <class V>
  static V exact(V x) {
    return std::cos(x);
  }
};
template <class T>
using Cos = MathFunction<T, CosFunction>;

struct TanFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::tan(x); }
  OPWRIGHT_INLINE static bool is_special(float x) { return vector_math::is_large_angle(x); }
  template <class V>
  static V exact(V x) {
    return std::tan(x);
  }
};
template <class T>
using Tan = MathFunction<T, TanFunction>;

struct AsinFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::asin(x); }
  template <class V>
  static V exact(V x) {
    return std::asin(x);
  }
};
template <class T>
using Asin = MathFunction<T, AsinFunction>;

struct AcosFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::acos(x); }
  template <class V>
  static V exact(V x) {
    return std::acos(x);
  }
};
template <class T>
using Acos = MathFunction<T, AcosFunction>;

struct AtanFunction {
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::atan(x); }
  template <class V>
  static V exact(V x) {
    return std::atan(x);
  }
};
template <class T>
using Atan = MathFunction<T, AtanFunction>;

struct Atan2Function {
  OPWRIGHT_INLINE static float vector(float x, float y) { return vector_math::atan2(x, y); }
  template <class V>
  static V exact(V x, V y) {
    return std::atan2(x, y);
  }
};
template <class T>
struct Atan2 : MathFunction<T, Atan2Function> {
  OPWRIGHT_INLINE T operator()(T y, T x) const {
    return MathFunction<T, Atan2Function>::operator()(y, x);
  }
};

}  // namespace

const PointwiseOp& sin_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Sin, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "sin(x)"};
  return op;
}

const PointwiseOp& cos_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Cos, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "cos(x)"};
  return op;
}

const PointwiseOp& tan_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Tan, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "sin(x) / cos(x)"};
  return op;
}

const PointwiseOp& asin_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Asin, InexactTypes>, .rule = ResultRule::Inexact};
  return op;
}

const PointwiseOp& acos_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Acos, InexactTypes>, .rule = ResultRule::Inexact};
  return op;
}

const PointwiseOp& atan_op() {
  static constexpr PointwiseOp op{
      .arity = 1, .kernels = &kKernels<Atan, InexactTypes>, .rule = ResultRule::Inexact};
  return op;
}

const PointwiseOp& atan2_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Atan2, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes"};
  return op;
}

}  // namespace opwright
