// Piecewise linear activations and their gradients: hardswish, hardsigmoid, softshrink, hardshrink,
// prelu.
#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/gradient_kernel.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

// x + 3, clamped to [0, 6]; preserves NaN.
template <class T>
OPWRIGHT_INLINE T lifted(T x) {
  const T above = x + T(3) < T(0) ? T(0) : x + T(3);
  return above > T(6) ? T(6) : above;
}

template <class T>
struct Hardswish {
  OPWRIGHT_INLINE T operator()(T x) const { return x * lifted(x) / T(6); }
};
template <class T>
struct HardswishBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T between = grad * (x / T(3) + T(0.5));
    const T not_above = x < T(3) ? between : grad;
    return x <= T(-3) ? T(0) : not_above;
  }
};

template <class T>
struct Hardsigmoid {
  OPWRIGHT_INLINE T operator()(T x) const { return lifted(x) / T(6); }
};
template <class T>
struct HardsigmoidBackward {
  OPWRIGHT_INLINE T operator()(T grad, T x) const {
    const T between = grad * T(1.0F / 6.0F);  // the same precision as PyTorch
    return ((x > T(-3)) & (x < T(3))) ? between : T(0);
  }
};

// With a number lambd, around which both shrink to zero.
template <class T>
struct Shrink {
  explicit Shrink(std::span<const Scalar> numbers) : lambd(number_as<T>(numbers[0])) {}
  [[nodiscard]] OPWRIGHT_INLINE T beyond(T x, T value) const {
    return ((x >= -lambd) & (x <= lambd)) ? T(0) : value;
  }
  T lambd;
};
template <class T>
struct Softshrink : Shrink<T> {
  using Shrink<T>::Shrink;
  OPWRIGHT_INLINE T operator()(T x) const {
    const T above = x - this->lambd;
    const T below = x + this->lambd;
    return this->beyond(x, x > T(0) ? above : below);
  }
};
template <class T>
struct Hardshrink : Shrink<T> {
  using Shrink<T>::Shrink;
  OPWRIGHT_INLINE T operator()(T x) const { return this->beyond(x, x); }
};
template <class T>
struct ShrinkBackward : Shrink<T> {
  using Shrink<T>::Shrink;
  OPWRIGHT_INLINE T operator()(T grad, T x) const { return this->beyond(x, grad); }
};

template <class T>
struct Prelu {
  OPWRIGHT_INLINE T operator()(T x, T weight) const {
    const T below = weight * x;
    return x > T(0) ? x : below;
  }
};
template <class T>
struct PreluBackward {
  OPWRIGHT_INLINE T operator()(T x, T weight, T grad) const {
    const T below = weight * grad;
    return x > T(0) ? grad : below;
  }
};
template <class T>
struct PreluWeightBackward {
  OPWRIGHT_INLINE T operator()(T x, T /*weight*/, T grad) const {
    const T below = x * grad;
    return x > T(0) ? T(0) : below;
  }
};

void check_lambd(PointwiseCall& call) {
  OPWRIGHT_CHECK(call.numbers[0].to<double>() >= 0, call.who, ": lambd must not be negative, got ",
                 call.numbers[0]);
}

}  // namespace

const PointwiseOp& hardswish_op() {
  static constexpr PointwiseOp op =
      floating_op<Hardswish>(1, "x * (x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6");
  return op;
}
const PointwiseOp& hardswish_backward_op() {
  static constexpr PointwiseOp op =
      gradient_op<HardswishBackward>(2, "y <= -3 ? 0 : y < 3 ? x * (y / 3 + 0.5) : x");
  return op;
}
const PointwiseOp& hardsigmoid_op() {
  static constexpr PointwiseOp op =
      floating_op<Hardsigmoid>(1, "(x + 3 < 0 ? 0 : x + 3 > 6 ? 6 : x + 3) / 6");
  return op;
}
const PointwiseOp& hardsigmoid_backward_op() {
  static constexpr PointwiseOp op =
      gradient_op<HardsigmoidBackward>(2, "y > -3 && y < 3 ? x * 0.1666666716337204 : 0");
  return op;
}
const PointwiseOp& softshrink_op() {
  static constexpr PointwiseOp op{.arity = 1,
                                  .kernels = &kKernels<Softshrink, FloatTypes>,
                                  .takes = "floating dtypes",
                                  .prepare = &check_lambd,
                                  .formula = "x >= -a && x <= a ? 0 : x > 0 ? x - a : x + a"};
  return op;
}
const PointwiseOp& hardshrink_op() {
  static constexpr PointwiseOp op = floating_op<Hardshrink>(1, "x >= -a && x <= a ? 0 : x");
  return op;
}
const PointwiseOp& shrink_backward_op() {
  static constexpr PointwiseOp op = gradient_op<ShrinkBackward>(2, "y >= -a && y <= a ? 0 : x");
  return op;
}
const PointwiseOp& prelu_op() {
  static constexpr PointwiseOp op = floating_op<Prelu>(2, "x > 0 ? x : y * x");
  return op;
}
const PointwiseOp& prelu_backward_op() {
  static constexpr PointwiseOp op = gradient_op<PreluBackward>(3);
  return op;
}
const PointwiseOp& prelu_weight_backward_op() {
  static constexpr PointwiseOp op = gradient_op<PreluWeightBackward>(3);
  return op;
}

}  // namespace opwright
