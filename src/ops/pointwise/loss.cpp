// Elementwise losses, which src/ops/loss reduces, and their gradients.
#include <cmath>
#include <limits>

#include "opwright/error.h"  // IWYU pragma: keep
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"  // IWYU pragma: keep
#include "opwright/ops/engine/pointwise/pointwise.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/value.h"

namespace opwright {
namespace {

template <class T>
struct SquaredError {
  OPWRIGHT_INLINE T operator()(T x, T target) const { return (x - target) * (x - target); }
};
// With one number: 2, divided by the count for a mean.
template <class T>
struct SquaredErrorBackward {
  explicit SquaredErrorBackward(std::span<const Scalar> numbers)
      : scale(number_as<T>(numbers[0]) * T(2)) {}
  OPWRIGHT_INLINE T operator()(T grad, T x, T target) const { return scale * (x - target) * grad; }
  T scale;
};

template <class T>
OPWRIGHT_INLINE T distance(T x, T y) {
  const T difference = x - y;
  return difference < T(0) ? -difference : difference;
}

template <class T>
struct SmoothL1 {
  explicit SmoothL1(std::span<const Scalar> numbers) : beta(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T target) const {
    const T z = distance(x, target);
    const T near = T(0.5) * z * z / beta;
    const T far = z - T(0.5) * beta;
    return z < beta ? near : far;
  }
  T beta;
};
// The gradient is `bound` at distances beyond `bend`, and grows by `slope` within.
template <class T>
OPWRIGHT_INLINE T bounded_slope(T difference, T bend, T slope, T bound) {
  const T within = difference * slope;
  const T not_above = difference >= bend ? bound : within;
  return difference <= -bend ? -bound : not_above;
}
// With two numbers: 1, divided by the count for a mean, and beta.
template <class T>
struct SmoothL1Backward {
  explicit SmoothL1Backward(std::span<const Scalar> numbers)
      : scale(number_as<T>(numbers[0])), beta(number_as<T>(numbers[1])) {}
  OPWRIGHT_INLINE T operator()(T grad, T x, T target) const {
    return bounded_slope(x - target, beta, scale / beta, scale) * grad;
  }
  T scale, beta;
};

template <class T>
struct Huber {
  explicit Huber(std::span<const Scalar> numbers) : delta(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T target) const {
    const T z = distance(x, target);
    const T near = T(0.5) * z * z;
    const T far = delta * (z - T(0.5) * delta);
    return z <= delta ? near : far;
  }
  T delta;
};
template <class T>
struct HuberBackward {
  explicit HuberBackward(std::span<const Scalar> numbers)
      : scale(number_as<T>(numbers[0])), delta(number_as<T>(numbers[1])) {}
  OPWRIGHT_INLINE T operator()(T grad, T x, T target) const {
    return bounded_slope(x - target, delta, scale, scale * delta) * grad;
  }
  T scale, delta;
};

// Logarithms are clamped to -100, so that the loss stays finite.
template <class T>
struct BinaryCrossEntropy {
  static constexpr bool kIsScalar = !std::is_same_v<T, float>;
  OPWRIGHT_INLINE T operator()(T x, T target) const {
    T of_rest, of_x;
    if constexpr (kIsScalar) {
      of_rest = std::log1p(-x);
      of_x = std::log(x);
    } else {
      of_rest = vector_math::log1p(-x);
      of_x = vector_math::log(x);
    }
    const T rest = of_rest < T(-100) ? T(-100) : of_rest;
    const T chosen = of_x < T(-100) ? T(-100) : of_x;
    return (target - T(1)) * rest - target * chosen;
  }
};
template <class T>
struct BinaryCrossEntropyBackward {
  OPWRIGHT_INLINE T operator()(T x, T target, T grad) const {
    const T product = (T(1) - x) * x;
    const T divisor = product < T(1e-12) ? T(1e-12) : product;
    return grad * (x - target) / divisor;
  }
};

// Arguments (reduction) or (reduction, width): an element's share of grad_output, then the width.
void read_loss_numbers(PointwiseCall& call) {
  const Tensor& self = *call.operands[1].tensor;
  const LossReduction reduction = loss_reduction(call.who, ValueOf<int64_t>::read(call.others[0]));
  if (reduction != LossReduction::Mean)
    call.numbers.push_back(1.0);
  else if (self.is_symbolic())  // known only at run time; NaN prevents formulas
    call.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  else
    call.numbers.push_back(1.0 / static_cast<double>(self.numel()));
  if (call.others.size() > 1) call.numbers.push_back(ValueOf<double>::read(call.others[1]));
}

template <template <class> class F>
constexpr PointwiseOp backward_op(const char* formula) {
  return {.arity = 3,
          .kernels = &kKernels<F, FloatTypes>,
          .takes = "floating dtypes",
          .prepare = &read_loss_numbers,
          .formula = formula};
}

}  // namespace

const PointwiseOp& squared_error_op() {
  static constexpr PointwiseOp op = floating_op<SquaredError>(2);
  return op;
}
const PointwiseOp& mse_loss_backward_op() {
  static constexpr PointwiseOp op = backward_op<SquaredErrorBackward>("a * 2 * (y - z) * x");
  return op;
}
const PointwiseOp& smooth_l1_op() {
  static constexpr PointwiseOp op = floating_op<SmoothL1>(2);
  return op;
}
const PointwiseOp& smooth_l1_loss_backward_op() {
  static constexpr PointwiseOp op =
      backward_op<SmoothL1Backward>("(y - z <= -b ? -a : y - z >= b ? a : (y - z) * (a / b)) * x");
  return op;
}
const PointwiseOp& huber_op() {
  static constexpr PointwiseOp op = floating_op<Huber>(2);
  return op;
}
const PointwiseOp& huber_loss_backward_op() {
  static constexpr PointwiseOp op{
      .arity = 3,
      .kernels = &kKernels<HuberBackward, FloatTypes>,
      .takes = "floating dtypes",
      .gives_contiguous = true,
      .prepare = &read_loss_numbers,
      .formula = "(y - z <= -b ? -(a * b) : y - z >= b ? a * b : (y - z) * a) * x"};
  return op;
}
const PointwiseOp& binary_cross_entropy_op() {
  static constexpr PointwiseOp op = floating_op<BinaryCrossEntropy>(2);
  return op;
}
const PointwiseOp& binary_cross_entropy_backward_op() {
  static constexpr PointwiseOp op = floating_op<BinaryCrossEntropyBackward>(3);
  return op;
}

}  // namespace opwright
