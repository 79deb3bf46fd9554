// Gradients of the activations in activation.cpp and choice.cpp, and threshold.
#include <cmath>
#include <string_view>
#include <utility>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/gradient_kernel.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
OPWRIGHT_INLINE T conjugate(T x) {
  if constexpr (kIsComplex<T>)
    return {x.real, -x.imag};
  else
    return x;
}

template <class T>
struct Threshold {
  explicit Threshold(std::span<const Scalar> numbers)
      : threshold(number_as<T>(numbers[0])), value(number_as<T>(numbers[1])) {}
  OPWRIGHT_INLINE T operator()(T x) const { return x <= threshold ? value : x; }
  T threshold, value;
};

template <class T>
struct ThresholdBackward {
  explicit ThresholdBackward(std::span<const Scalar> numbers)
      : threshold(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T grad) const { return x <= threshold ? T(0) : grad; }
  T threshold;
};

template <class T>
struct SigmoidBackward {
  OPWRIGHT_INLINE T operator()(T grad, T y) const { return grad * conjugate((T(1) - y) * y); }
};

template <class T>
struct TanhBackward {
  OPWRIGHT_INLINE T operator()(T grad, T y) const { return grad * conjugate(T(1) - y * y); }
};

// A function of the gradient and one other number, like MathFunction.
template <class T, class F>
struct GradientFunction {
  static constexpr bool kIsScalar = MathFunction<T, F>::kIsScalar;
  OPWRIGHT_INLINE T operator()(T grad, T x) const { return MathFunction<T, F>{}(grad, x); }
};

struct SiluBackwardFunction {
  static constexpr bool kHasDouble = true;
  template <class V>
  OPWRIGHT_INLINE static V vector(V grad, V x) {
    const V y = V(1) / (V(1) + vector_math::exp(-x));
    return grad * y * (V(1) + x * (V(1) - y));
  }
  template <class V>
  static V exact(V grad, V x) {
    const V y = V(1) / (V(1) + std::exp(-x));
    return grad * y * (V(1) + x * (V(1) - y));
  }
};
template <class T>
using SiluBackward = GradientFunction<T, SiluBackwardFunction>;

struct GeluBackwardFunction {
  OPWRIGHT_INLINE static float vector(float grad, float x) {
    const float share = 0.5F * (1.0F + vector_math::erf(x * 0.707106781F));
    const float density = vector_math::exp(-0.5F * x * x) * 0.398942280F;
    return grad * (share + x * density);
  }
  template <class V>
  static V exact(V grad, V x) {
    const V share = V(0.5) * (V(1) + std::erf(x * V(0.70710678118654752)));
    const V density = std::exp(V(-0.5) * x * x) * V(0.39894228040143268);
    return grad * (share + x * density);
  }
};
template <class T>
using GeluBackward = GradientFunction<T, GeluBackwardFunction>;

struct GeluTanhBackwardFunction {
  OPWRIGHT_INLINE static float vector(float grad, float x) {
    const float cube = 0.044715F * x * x * x;
    const float slope = 0.797884561F * (1.0F + 3.0F * 0.044715F * x * x);
    return combine(grad, x, vector_math::tanh(0.797884561F * (x + cube)), slope);
  }
  template <class V>
  static V exact(V grad, V x) {
    constexpr V kBeta = V(0.79788456080286536);
    const V cube = V(0.044715) * x * x * x;
    const V slope = kBeta * (V(1) + V(3) * V(0.044715) * x * x);
    return combine(grad, x, std::tanh(kBeta * (x + cube)), slope);
  }
  // `bent` is the tanh, `slope` the derivative of its argument.
  template <class V>
  OPWRIGHT_INLINE static V combine(V grad, V x, V bent, V slope) {
    return grad * (V(0.5) * (V(1) + bent) + V(0.5) * x * (V(1) - bent * bent) * slope);
  }
};
template <class T>
using GeluTanhBackward = GradientFunction<T, GeluTanhBackwardFunction>;

// With the numbers alpha, scale and input_scale.
template <class T>
struct EluSlopes {
  explicit EluSlopes(std::span<const Scalar> numbers)
      : negative(number_as<T>(numbers[0]) * number_as<T>(numbers[1])),
        positive(number_as<T>(numbers[1])),
        input_scale(number_as<T>(numbers[2])) {}
  T negative, positive, input_scale;
};

template <class T>
struct EluBackward : EluSlopes<T> {
  using EluSlopes<T>::EluSlopes;
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T power = vector_math::exp(x * this->input_scale);
    const T below = grad * this->input_scale * this->negative * power;
    const T above = grad * this->positive;
    return x <= T(0) ? below : above;
  }
};

template <class T>
struct EluBackwardOfResult : EluSlopes<T> {
  using EluSlopes<T>::EluSlopes;
  OPWRIGHT_INLINE T operator()(T grad, T y) const {
    const T below = grad * this->input_scale * (y + this->negative);
    const T above = grad * this->positive;
    return y <= T(0) ? below : above;
  }
};

template <class T>
struct HardtanhBackward {
  explicit HardtanhBackward(std::span<const Scalar> numbers)
      : low(number_as<T>(numbers[0])), high(number_as<T>(numbers[1])) {}
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    return ((x <= low) | (x >= high)) ? T(0) : grad;
  }
  T low, high;
};

template <class T>
struct LeakyReluBackward {
  explicit LeakyReluBackward(std::span<const Scalar> numbers) : slope(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T grad) const {
    const T below = grad * slope;
    return x > T(0) ? grad : below;
  }
  T slope;
};

void choose_gelu_backward(PointwiseCall& call) {
  static constexpr PointwiseOp by_tanh{
      .arity = 2,
      .kernels = &kGradientKernels<GeluTanhBackward, FloatTypes>,
      .takes = "floating dtypes",
      .formula =
          "x * (0.5 * (1 + tanh(0.7978845608028654 * (y + 0.044715 * y * y * y))) + 0.5 * y * (1 - "
          "tanh(0.7978845608028654 * (y + 0.044715 * y * y * y)) * tanh(0.7978845608028654 * (y + "
          "0.044715 * y * y * y))) * (0.7978845608028654 * (1 + 0.134145 * y * y)))"};
  const std::string_view approximate = ValueOf<std::string_view>::read(call.others[0]);
  if (approximate == "tanh") {
    call.op = &by_tanh;
  } else {
    OPWRIGHT_CHECK(approximate == "none", call.who, ": approximate must be 'none' or 'tanh', got '",
                   approximate, "'");
  }
}

// Arguments: (alpha, scale, input_scale, is_result, self_or_result).
void choose_elu_backward(PointwiseCall& call) {
  static constexpr PointwiseOp of_result{
      .arity = 2,
      .kernels = &kGradientKernels<EluBackwardOfResult, FloatTypes>,
      .takes = "floating dtypes",
      .formula = "y <= 0 ? x * c * (y + a * b) : x * b"};
  for (const OpwValue& number : call.others.first(3))
    call.numbers.push_back(ValueOf<Scalar>::read(number));
  call.operands.push_back({.tensor = &borrow_tensor(call.others[4])});
  if (!ValueOf<bool>::read(call.others[3])) return;
  OPWRIGHT_CHECK(call.numbers[0].to<double>() >= 0, call.who,
                 ": with a negative alpha the result does not determine the slope, got alpha = ",
                 call.numbers[0], "; give self and is_result = False");
  call.op = &of_result;
}

// The result has the memory layout of self, so self comes first.
void put_self_first(PointwiseCall& call) { std::swap(call.operands[0], call.operands[1]); }

// Arguments: (negative_slope, self_is_result).
void read_leaky_slope(PointwiseCall& call) {
  put_self_first(call);
  call.numbers.push_back(ValueOf<Scalar>::read(call.others[0]));
  OPWRIGHT_CHECK(
      !ValueOf<bool>::read(call.others[1]) || call.numbers[0].to<double>() >= 0, call.who,
      ": with a negative slope the result does not determine the slope, got negative_slope = ",
      call.numbers[0], "; give self and self_is_result = False");
}

}  // namespace

const PointwiseOp& threshold_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Threshold, RealTypes>,
                                  .takes = "real dtypes but bool",
                                  .formula = "x <= a ? b : x"};
  return op;
}
const PointwiseOp& threshold_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<ThresholdBackward, RealTypes>,
                                  .takes = "real dtypes but bool",
                                  .prepare = &put_self_first,
                                  .formula = "x <= a ? 0 : y"};
  return op;
}
const PointwiseOp& sigmoid_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<SigmoidBackward, InexactTypes>,
                                  .takes = "floating and complex dtypes",
                                  .formula = "x * ((1 - y) * y)"};
  return op;
}
const PointwiseOp& tanh_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<TanhBackward, InexactTypes>,
                                  .takes = "floating and complex dtypes",
                                  .formula = "x * (1 - y * y)"};
  return op;
}
const PointwiseOp& silu_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<SiluBackward, InexactTypes>,
                                  .takes = "floating and complex dtypes",
                                  .formula = "x * sigmoid(y) * (1 + y * (1 - sigmoid(y)))"};
  return op;
}
const PointwiseOp& gelu_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<GeluBackward, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &choose_gelu_backward,
                                  .formula =
                                      "x * (0.5 * (1 + erf(y * 0.7071067811865476)) + y * "
                                      "(exp(-0.5 * y * y) * 0.3989422804014327))"};
  return op;
}
const PointwiseOp& elu_backward_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kGradientKernels<EluBackward, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &choose_elu_backward,
                                  .formula = "y <= 0 ? x * c * (a * b) * exp(y * c) : x * b"};
  return op;
}
const PointwiseOp& hardtanh_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<HardtanhBackward, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .formula = "y <= a || y >= b ? 0 : x"};
  return op;
}
const PointwiseOp& leaky_relu_backward_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kGradientKernels<LeakyReluBackward, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &read_leaky_slope,
                                  .formula = "x > 0 ? y : y * a"};
  return op;
}

}  // namespace opwright
