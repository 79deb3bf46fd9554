// pow for floating-point and complex numbers, and for ints.
#include <cmath>

#include "opwright/error.h"
#include "opwright/ops/engine/cpu/vector_math.h"
#include "opwright/ops/engine/cpu/vector_math_double.h"
#include "opwright/ops/engine/pointwise/math_function.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

const PointwiseOp& sqrt_op();
const PointwiseOp& rsqrt_op();
const PointwiseOp& reciprocal_op();

namespace {

// By squaring, modulo 2^bits. For negative exponents only 1 and -1 have an integer power.
template <class T>
T power_of_ints(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == 1) return 1;
      if (base == -1) return (exponent & 1) != 0 ? T(-1) : T(1);
      return 0;
    }
  }
  T result = 1;
  while (exponent != 0) {
    if ((exponent & 1) != 0) result = wrap_mul(result, base);
    exponent = static_cast<T>(exponent / 2);
    base = wrap_mul(base, base);
  }
  return result;
}

template <class T>
struct Power {
  static constexpr bool kIsScalar = !std::is_floating_point_v<T>;
  OPWRIGHT_INLINE T operator()(T x, T y) const {
    if constexpr (kIsScalar)
      return special(x, y);
    else
      return vector_math::pow(x, y);
  }
  OPWRIGHT_INLINE bool is_special(T x, T y) const
    requires(std::is_floating_point_v<T>)
  {
    // Without AVX2 the standard library is faster for doubles.
    const bool is_baseline = std::is_same_v<T, double> && kCpuLevel == CpuLevel::Baseline;
    return vector_math::is_special_power(x, y) | is_baseline;
  }
  OPWRIGHT_INLINE T special(T x, T y) const {
    if constexpr (kIsInt<T>)
      return power_of_ints(x, y);
    else
      return from_standard(std::pow(to_standard(x), to_standard(y)));
  }
};

template <class T>
struct Square {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x) const { return wrap_mul(x, x); }
};
template <class T>
struct Cube {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x) const { return wrap_mul(wrap_mul(x, x), x); }
};
template <class T>
struct InverseSquare {
  OPWRIGHT_INLINE T operator()(T x) const { return divide(T(1), x * x); }
};

constexpr PointwiseOp kSquare{
    .arity = 1, .kernels = &kKernels<Square, NumberTypes>, .formula = "x * x"};
constexpr PointwiseOp kCube{
    .arity = 1, .kernels = &kKernels<Cube, NumberTypes>, .formula = "x * x * x"};
constexpr PointwiseOp kInverseSquare{
    .arity = 1, .kernels = &kKernels<InverseSquare, InexactTypes>, .formula = "1 / (x * x)"};

// An operation equal to x to the power of `exponent`, if there is a simpler one.
const PointwiseOp* find_simple_power(DType base, double exponent) {
  if (exponent == 2) return &kSquare;
  if (exponent == 3) return &kCube;
  if (!is_floating(base) && !is_complex(base)) return nullptr;
  if (exponent == 0.5) return &sqrt_op();
  if (exponent == -0.5) return &rsqrt_op();
  if (exponent == -1) return &reciprocal_op();
  return exponent == -2 ? &kInverseSquare : nullptr;
}

void choose_power(PointwiseCall& call) {
  static constexpr PointwiseOp of_number{.arity = 2,
                                         .kernels = &kKernels<Power, NumberTypes>,
                                         .takes = "dtypes but bool",
                                         .gives_contiguous = true,
                                         .formula = "pow(x, y)",
                                         .formula_of_ints = kNoFormula};
  const PointwiseOperand& exponent = call.operands[1];
  if (!call.operands[0].is_tensor()) call.op = &of_number;
  if (exponent.is_tensor() || !call.operands[0].is_tensor()) return;
  const DType base = call.operands[0].tensor->dtype();
  const bool is_inexact = is_floating(base) || is_complex(base);
  OPWRIGHT_CHECK(is_inexact || !exponent.number.is_integral() || exponent.number.to<int64_t>() >= 0,
                 call.who, ": an int to the power of ", exponent.number,
                 " is not an int; convert the base to a floating dtype first");
  if (exponent.number.is_complex() || base == DType::Bool) return;
  if (!is_inexact && !exponent.number.is_integral()) return;
  if (const PointwiseOp* simple = find_simple_power(base, exponent.number.to<double>())) {
    call.op = simple;
    call.operands.pop_back();
  }
}

}  // namespace

const PointwiseOp& pow_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Power, NumberTypes>,
                                  .takes = "dtypes but bool",
                                  .prepare = &choose_power,
                                  .formula = "pow(x, y)",
                                  .formula_of_ints = kNoFormula};
  return op;
}

}  // namespace opwright
