// relu, sigmoid, gelu, silu, elu, leaky_relu.
#include <cmath>
#include <string_view>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
inline constexpr bool kIsFloat32 = std::is_same_v<T, float>;

template <class T>
struct Relu {
  static constexpr bool kIsScalar = std::is_unsigned_v<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    return x < T(0) ? T(0) : x;  // preserves NaN and the sign of zero
  }
};

struct SigmoidFunction {
  static constexpr bool kHasDouble = true;
  OPWRIGHT_INLINE static float vector(float x) { return vector_math::sigmoid(x); }
  OPWRIGHT_INLINE static double vector(double x) { return 1.0 / (1.0 + vector_math::exp(-x)); }
  template <class V>
  static V exact(V x) {
    return V(1) / (V(1) + std::exp(-x));
  }
};
template <class T>
using Sigmoid = MathFunction<T, SigmoidFunction>;

struct SiluFunction {
  static constexpr bool kHasDouble = true;
  OPWRIGHT_INLINE static float vector(float x) { return x / (1.0F + vector_math::exp(-x)); }
  OPWRIGHT_INLINE static double vector(double x) { return x / (1.0 + vector_math::exp(-x)); }
  template <class V>
  static V exact(V x) {
    return x / (V(1) + std::exp(-x));
  }
};
template <class T>
using Silu = MathFunction<T, SiluFunction>;

struct GeluFunction {
  OPWRIGHT_INLINE static float vector(float x) {
    return x * 0.5F * (1.0F + vector_math::erf(x * 0.707106781F));
  }
  template <class V>
  static V exact(V x) {
    return x * V(0.5) * (V(1) + std::erf(x * V(0.70710678118654752)));
  }
};
template <class T>
using Gelu = MathFunction<T, GeluFunction>;

struct GeluTanhFunction {
  OPWRIGHT_INLINE static float vector(float x) {
    const float inner = 0.797884561F * (x + 0.044715F * x * x * x);
    return 0.5F * x * (1.0F + vector_math::tanh(inner));
  }
  template <class V>
  static V exact(V x) {
    const V inner = V(0.79788456080286536) * (x + V(0.044715) * x * x * x);
    return V(0.5) * x * (V(1) + std::tanh(inner));
  }
};
template <class T>
using GeluTanh = MathFunction<T, GeluTanhFunction>;

template <class T>
struct Elu {
  static constexpr bool kIsScalar = !kIsFloat32<T>;
  explicit Elu(std::span<const Scalar> numbers)
      : negative(number_as<T>(numbers[0]) * number_as<T>(numbers[1])),
        positive(number_as<T>(numbers[1])),
        input_scale(number_as<T>(numbers[2])) {}
  OPWRIGHT_INLINE T operator()(T x) const {
    const T scaled = x * input_scale;
    T below;
    if constexpr (kIsFloat32<T>)
      below = vector_math::expm1(scaled) * negative;
    else
      below = std::expm1(scaled) * negative;
    const T above = x * positive;
    return x < T(0) ? below : above;
  }
  T negative, positive, input_scale;
};

template <class T>
struct LeakyRelu {
  explicit LeakyRelu(std::span<const Scalar> numbers) : slope(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x) const {
    const T below = x * slope;
    return x > T(0) ? x : below;
  }
  T slope;
};

void choose_gelu(PointwiseCall& call) {
  static constexpr PointwiseOp by_tanh{
      .arity = 1,
      .kernels = &kKernels<GeluTanh, FloatTypes>,
      .takes = "floating dtypes",
      .formula = "0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))"};
  const std::string_view approximate = ValueOf<std::string_view>::read(call.others[0]);
  if (approximate == "tanh") {
    call.op = &by_tanh;
  } else {
    OPWRIGHT_CHECK(approximate == "none", call.who, ": approximate must be 'none' or 'tanh', got '",
                   approximate, "'");
  }
}

}  // namespace

const PointwiseOp& relu_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Relu, RealTypes>,
                                  .takes = "real dtypes but bool",
                                  .formula = "x < 0 ? 0 : x"};
  return op;
}
const PointwiseOp& sigmoid_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Sigmoid, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .formula = "sigmoid(x)"};
  return op;
}
const PointwiseOp& silu_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Silu, InexactTypes>,
                                  .takes = "floating and complex dtypes",
                                  .formula = "x / (1 + exp(-x))"};
  return op;
}
const PointwiseOp& gelu_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Gelu, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &choose_gelu,
                                  .formula = "x * 0.5 * (1 + erf(x * 0.7071067811865476))"};
  return op;
}
const PointwiseOp& elu_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Elu, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .formula = "x < 0 ? expm1(x * c) * (a * b) : x * b"};
  return op;
}
const PointwiseOp& leaky_relu_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<LeakyRelu, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .formula = "x > 0 ? x : x * a"};
  return op;
}

}  // namespace opwright
