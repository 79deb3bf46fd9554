// Activations based on exponentials, and their gradients: softplus, mish, log_sigmoid, logit, glu.
#include <cmath>
#include <limits>
#include <optional>

#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/gradient_kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
OPWRIGHT_INLINE T log1p_of(T x) {
  if constexpr (std::is_same_v<T, float>)
    return vector_math::log1p(x);
  else
    return std::log1p(x);
}
template <class T>
inline constexpr bool kHasNoVectorLog1p = !std::is_same_v<T, float>;

// With the numbers beta and threshold.
template <class T>
struct SoftplusNumbers {
  explicit SoftplusNumbers(std::span<const Scalar> numbers)
      : beta(number_as<T>(numbers[0])), threshold(number_as<T>(numbers[1])) {}
  T beta, threshold;
};
template <class T>
struct Softplus : SoftplusNumbers<T> {
  using SoftplusNumbers<T>::SoftplusNumbers;
  static constexpr bool kIsScalar = kHasNoVectorLog1p<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    const T bent = log1p_of(vector_math::exp(x * this->beta)) / this->beta;
    return x * this->beta > this->threshold ? x : bent;
  }
};
template <class T>
struct SoftplusBackward : SoftplusNumbers<T> {
  using SoftplusNumbers<T>::SoftplusNumbers;
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T power = vector_math::exp(x * this->beta);
    const T bent = grad * power / (power + T(1));
    return x * this->beta > this->threshold ? grad : bent;
  }
};

// tanh(log(1 + e^x)), which is 1 - 2 / ((1 + e^x)^2 + 1).
template <class T>
OPWRIGHT_INLINE T tanh_of_softplus(T x) {
  const T power = vector_math::exp(x > T(20) ? T(20) : x);
  const T square = power * (power + T(2));
  return square / (square + T(2));
}
template <class T>
struct Mish {
  OPWRIGHT_INLINE T operator()(T x) const { return x * tanh_of_softplus(x); }
};
template <class T>
struct MishBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T bent = tanh_of_softplus(x);
    const T slope = T(1) / (T(1) + vector_math::exp(-x));
    return grad * (bent + x * slope * (T(1) - bent * bent));
  }
};

// e^-|x|, which the gradient reuses.
template <class T>
struct LogSigmoidBuffer {
  OPWRIGHT_INLINE T operator()(T x) const { return vector_math::exp(x < T(0) ? x : -x); }
};
template <class T>
struct LogSigmoid {
  static constexpr bool kIsScalar = kHasNoVectorLog1p<T>;
  OPWRIGHT_INLINE T operator()(T x) const {
    const T power = vector_math::exp(x < T(0) ? x : -x);
    const T below = x > T(0) ? T(0) : x;
    return below - log1p_of(power);
  }
};
template <class T>
struct LogSigmoidBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x, T buffer) const {
    const T share = buffer / (T(1) + buffer);
    const T below = T(1) - share;
    return grad * (x < T(0) ? below : share);
  }
};

template <class T>
OPWRIGHT_INLINE T logit_of(T x) {
  return vector_math::log(x / (T(1) - x));
}
template <class T>
struct Logit {
  OPWRIGHT_INLINE T operator()(T x) const { return logit_of(x); }
};
template <class T>
struct LogitBetween {
  explicit LogitBetween(std::span<const Scalar> numbers)
      : low(number_as<T>(numbers[0])), high(T(1) - low) {}
  OPWRIGHT_INLINE T operator()(T x) const {
    const T not_above = x > high ? high : x;
    return logit_of(x < low ? low : not_above);
  }
  T low, high;
};
template <class T>
struct LogitBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T inside = grad / (x * (T(1) - x));
    const T limit = grad * std::numeric_limits<T>::infinity();
    const T within = ((x == T(0)) | (x == T(1))) ? limit : inside;
    return ((x < T(0)) | (x > T(1))) ? std::numeric_limits<T>::quiet_NaN() : within;
  }
};
template <class T>
struct LogitBetweenBackward {
  explicit LogitBetweenBackward(std::span<const Scalar> numbers)
      : low(number_as<T>(numbers[0])), high(T(1) - low) {}
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T inside = grad / (x * (T(1) - x));
    const T limit = grad * std::numeric_limits<T>::infinity();
    const T within = ((x == T(0)) | (x == T(1))) ? limit : inside;
    return ((x < low) | (x > high)) ? T(0) : within;
  }
  T low, high;
};

template <class T>
struct Glu {
  OPWRIGHT_INLINE T operator()(T x, T gate) const {
    return x * (T(1) / (T(1) + vector_math::exp(-gate)));
  }
};
// For the gated half.
template <class T>
struct GluBackward {
  OPWRIGHT_INLINE T operator()(T grad, T gate) const {
    return grad * (T(1) / (T(1) + vector_math::exp(-gate)));
  }
};
template <class T>
struct GluGateBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x, T gate) const {
    const T share = T(1) / (T(1) + vector_math::exp(-gate));
    return (T(1) - share) * share * grad * x;
  }
};

// With a nonnegative eps: uses the operation that clamps away from 0 and 1.
void read_eps(PointwiseCall& call, const PointwiseOp& between) {
  const auto eps = ValueOf<std::optional<double>>::read(call.others[0]);
  if (!eps || *eps < 0) return;
  call.numbers.push_back(*eps);
  call.op = &between;
}
void choose_logit(PointwiseCall& call) {
  static constexpr PointwiseOp between{
      .arity = 1,
      .kernels = &kKernels<LogitBetween, FloatTypes>,
      .rule = ResultRule::Inexact,
      .takes = "real dtypes",
      .formula =
          "log((x < a ? a : x > 1 - a ? 1 - a : x) / (1 - (x < a ? a : x > 1 - a ? 1 - a : x)))"};
  read_eps(call, between);
}
void choose_logit_backward(PointwiseCall& call) {
  static constexpr PointwiseOp between = gradient_op<LogitBetweenBackward>(
      2, "y < a || y > 1 - a ? 0 : y == 0 || y == 1 ? x / 0 : x / (y * (1 - y))");
  read_eps(call, between);
}

}  // namespace

const PointwiseOp& softplus_op() {
  static constexpr PointwiseOp op =
      floating_op<Softplus>(1, "x * a > b ? x : log1p(exp(x * a)) / a");
  return op;
}
const PointwiseOp& softplus_backward_op() {
  static constexpr PointwiseOp op =
      gradient_op<SoftplusBackward>(2, "y * a > b ? x : x * exp(y * a) / (exp(y * a) + 1)");
  return op;
}
const PointwiseOp& mish_op() {
  static constexpr PointwiseOp op =
      floating_op<Mish>(1,
                        "x * (exp(x > 20 ? 20 : x) * (exp(x > 20 ? 20 : x) + 2) / (exp(x > 20 ? 20 "
                        ": x) * (exp(x > 20 ? 20 : x) + 2) + 2))");
  return op;
}
const PointwiseOp& mish_backward_op() {
  static constexpr PointwiseOp op = gradient_op<MishBackward>(
      2,
      "x * ((exp(y > 20 ? 20 : y) * (exp(y > 20 ? 20 : y) + 2) / (exp(y > 20 ? 20 : y) * (exp(y > "
      "20 ? 20 : y) + 2) + 2)) + y * sigmoid(y) * (1 - (exp(y > 20 ? 20 : y) * (exp(y > 20 ? 20 : "
      "y) + 2) / (exp(y > 20 ? 20 : y) * (exp(y > 20 ? 20 : y) + 2) + 2)) * (exp(y > 20 ? 20 : y) "
      "* (exp(y > 20 ? 20 : y) + 2) / (exp(y > 20 ? 20 : y) * (exp(y > 20 ? 20 : y) + 2) + 2))))");
  return op;
}
const PointwiseOp& log_sigmoid_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<LogSigmoid, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .gives_contiguous = true};
  return op;
}
const PointwiseOp& log_sigmoid_buffer_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<LogSigmoidBuffer, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .gives_contiguous = true};
  return op;
}
const PointwiseOp& log_sigmoid_backward_op() {
  static constexpr PointwiseOp op =
      gradient_op<LogSigmoidBackward>(3, "x * (y < 0 ? 1 - z / (1 + z) : z / (1 + z))");
  return op;
}
const PointwiseOp& logit_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Logit, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes",
                                  .prepare = &choose_logit,
                                  .formula = "log(x / (1 - x))"};
  return op;
}
const PointwiseOp& logit_backward_op() {
  static constexpr PointwiseOp op{
      .arity = 2,
      .kernels = &kGradientKernels<LogitBackward, FloatTypes>,
      .takes = "floating dtypes",
      .prepare = &choose_logit_backward,
      .formula = "y < 0 || y > 1 ? 0 / 0 : y == 0 || y == 1 ? x / 0 : x / (y * (1 - y))"};
  return op;
}
const PointwiseOp& glu_op() {
  static constexpr PointwiseOp op = floating_op<Glu>(2);
  return op;
}
const PointwiseOp& glu_backward_op() {
  static constexpr PointwiseOp op = gradient_op<GluBackward>(2);
  return op;
}
const PointwiseOp& glu_gate_backward_op() {
  static constexpr PointwiseOp op = gradient_op<GluGateBackward>(3);
  return op;
}

}  // namespace opwright
