// lerp and xlogy.
#include <cmath>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"  // IWYU pragma: keep
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

// Starts from the nearer end, so that both ends are exact.
template <class T, class Weight>
OPWRIGHT_INLINE T interpolate(T start, T end, T weight, Weight size) {
  const T from_start = start + weight * (end - start);
  const T from_end = end - (end - start) * (T(1) - weight);
  return size < Weight(0.5) ? from_start : from_end;
}
template <class T>
OPWRIGHT_INLINE auto magnitude_of(T weight) {
  if constexpr (kIsComplex<T>)
    return std::hypot(weight.real, weight.imag);
  else
    return weight < T(0) ? -weight : weight;
}
template <class T>
struct Lerp {
  OPWRIGHT_INLINE T operator()(T start, T end, T weight) const {
    return interpolate(start, end, weight, magnitude_of(weight));
  }
};
template <class T>
struct LerpByNumber {
  explicit LerpByNumber(std::span<const Scalar> numbers) : weight(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T start, T end) const {
    return interpolate(start, end, weight, magnitude_of(weight));
  }
  T weight;
};

template <class T>
struct Xlogy {
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    const T product = x * vector_math::log(y);
    const T result = x == T(0) ? T(0) : product;
    return y != y ? y : result;
  }
};

// Unlike binary arithmetic these do not promote, except for a zero-dim weight.
void check_same_dtype(const PointwiseCall& call, DType /*common*/) {
  const DType dtype = call.operands[0].tensor->dtype();
  for (size_t i = 1; i < call.operands.size(); ++i) {
    const PointwiseOperand& operand = call.operands[i];
    if (i == 2 && operand.tensor->dim() == 0) continue;
    OPWRIGHT_CHECK(operand.tensor->dtype() == dtype, call.who, ": all tensors must be of ", dtype,
                   ", the dtype of self, got one of ", operand.tensor->dtype());
  }
}

}  // namespace

const PointwiseOp& lerp_op() {
  static constexpr PointwiseOp op{
      .arity = 3,
      .kernels = &kKernels<Lerp, InexactTypes>,
      .takes = "floating and complex dtypes",
      .check = &check_same_dtype,
      .formula = "absolute(z) < 0.5 ? fma(z, y - x, x) : y - (y - x) * (1 - z)"};
  return op;
}
const PointwiseOp& lerp_number_op() {
  static constexpr PointwiseOp op{
      .arity = 2,
      .kernels = &kKernels<LerpByNumber, InexactTypes>,
      .takes = "floating and complex dtypes",
      .check = &check_same_dtype,
      .formula = "absolute(a) < 0.5 ? fma(a, y - x, x) : y - (y - x) * (1 - a)"};
  return op;
}
const PointwiseOp& xlogy_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Xlogy, FloatTypes>,
                                  .rule = ResultRule::Inexact,
                                  .takes = "real dtypes",
                                  .formula = "isnan(y) ? y : x == 0 ? 0 : x * log(y)"};
  return op;
}

}  // namespace opwright
