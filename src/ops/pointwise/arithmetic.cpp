// add, sub, rsub, mul, div, addcmul, addcdiv.
#include "opwright/error.h"
#include "opwright/ops/engine/pointwise/kernel.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {
namespace {

template <class T>
struct Add {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return wrap_add(x, y); }
};
template <class T>
struct AddScaled {
  static constexpr bool kIsModular = true;
  explicit AddScaled(std::span<const Scalar> numbers) : alpha(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T y) const { return wrap_add(x, wrap_mul(alpha, y)); }
  T alpha;
};
template <class T>
struct Subtract {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return wrap_sub(x, y); }
};
template <class T>
struct SubtractScaled {
  static constexpr bool kIsModular = true;
  explicit SubtractScaled(std::span<const Scalar> numbers) : alpha(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T y) const { return wrap_sub(x, wrap_mul(alpha, y)); }
  T alpha;
};
template <class T>
struct Multiply {
  static constexpr bool kIsModular = true;
  OPWRIGHT_INLINE T operator()(T x, T y) const { return wrap_mul(x, y); }
};
template <class T>
struct Divide {
  OPWRIGHT_INLINE T operator()(T x, T y) const { return divide(x, y); }
};
template <class T>
struct AddProduct {
  static constexpr bool kIsModular = true;
  explicit AddProduct(std::span<const Scalar> numbers) : value(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T y, T z) const {
    return wrap_add(x, wrap_mul(wrap_mul(value, y), z));
  }
  T value;
};
template <class T>
struct AddQuotient {
  explicit AddQuotient(std::span<const Scalar> numbers) : value(number_as<T>(numbers[0])) {}
  OPWRIGHT_INLINE T operator()(T x, T y, T z) const { return x + divide(value * y, z); }
  T value;
};

bool is_one(const Scalar& number) { return !number.is_complex() && number.to<double>() == 1.0; }

// A number of the call must be of the same kind as its tensors.
void check_number(const PointwiseCall& call, DType common, const char* name) {
  const Scalar& number = call.numbers[0];
  OPWRIGHT_CHECK_TYPE(!number.is_bool() || common == DType::Bool, call.who, ": ", name,
                      " may be a bool for bool tensors only, got ", number, " for ", common);
  OPWRIGHT_CHECK_TYPE(
      is_floating(common) || is_complex(common) || !(number.is_floating() || number.is_complex()),
      call.who, ": ", name, " must be an int for tensors of ", common, ", got ", number);
  OPWRIGHT_CHECK_TYPE(is_complex(common) || !number.is_complex(), call.who, ": ", name,
                      " must be real for tensors of ", common, ", got ", number);
}
void check_alpha(const PointwiseCall& call, DType common) { check_number(call, common, "alpha"); }
void check_value(const PointwiseCall& call, DType common) { check_number(call, common, "value"); }

void check_difference(const PointwiseCall& call, DType common) {
  for (const PointwiseOperand& operand : call.operands) {
    OPWRIGHT_CHECK(!operand.is_bool(), call.who,
                   ": bool tensors cannot be subtracted; use logical_xor or logical_not");
  }
  check_alpha(call, common);
}

void check_quotient(const PointwiseCall& call, DType common) {
  OPWRIGHT_CHECK(is_floating(common) || is_complex(common), call.who, ": tensors of ", common,
                 " cannot be divided in one step; use div first");
}

void choose_sum(PointwiseCall& call) {
  static constexpr PointwiseOp scaled{.arity = 2,
                                      .kernels = &kKernels<AddScaled, AllTypes>,
                                      .keeps_numbers_wide = true,
                                      .check = &check_alpha,
                                      .formula = "fma(a, y, x)",
                                      .formula_of_ints = "x + a * y",
                                      .formula_of_bools = "x | (a & y)"};
  if (!is_one(call.numbers[0])) call.op = &scaled;
}

void choose_difference(PointwiseCall& call) {
  static constexpr PointwiseOp scaled{.arity = 2,
                                      .kernels = &kKernels<SubtractScaled, AllTypes>,
                                      .keeps_numbers_wide = true,
                                      .check = &check_difference,
                                      .formula = "fma(-a, y, x)",
                                      .formula_of_ints = "x - a * y"};
  if (!is_one(call.numbers[0])) call.op = &scaled;
}

}  // namespace

const PointwiseOp& add_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Add, AllTypes>,
                                  .keeps_numbers_wide = true,
                                  .prepare = &choose_sum,
                                  .check = &check_alpha,
                                  .formula = "x + y",
                                  .formula_of_bools = "x | y"};
  return op;
}

const PointwiseOp& sub_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Subtract, AllTypes>,
                                  .keeps_numbers_wide = true,
                                  .prepare = &choose_difference,
                                  .check = &check_difference,
                                  .formula = "x - y"};
  return op;
}

const PointwiseOp& rsub_op() {
  static constexpr PointwiseOp op{.arity = 2, .prepare = [](PointwiseCall& call) {
                                    std::swap(call.operands[0], call.operands[1]);
                                    call.op = &sub_op();
                                    choose_difference(call);
                                  }};
  return op;
}

const PointwiseOp& mul_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Multiply, AllTypes>,
                                  .keeps_numbers_wide = true,
                                  .formula = "x * y",
                                  .formula_of_bools = "x & y"};
  return op;
}

const PointwiseOp& div_op() {
  static constexpr PointwiseOp op{.arity = 2,
                                  .kernels = &kKernels<Divide, InexactTypes>,
                                  .rule = ResultRule::Inexact,
                                  .keeps_numbers_wide = true,
                                  .formula = "x / y"};
  return op;
}

const PointwiseOp& addcmul_op() {
  static constexpr PointwiseOp op{.arity = 3,
                                  .kernels = &kKernels<AddProduct, NumberTypes>,
                                  .takes = "dtypes but bool",
                                  .check = &check_value,
                                  .formula = "fma(a * y, z, x)",
                                  .formula_of_ints = "x + a * y * z"};
  return op;
}

const PointwiseOp& addcdiv_op() {
  static constexpr PointwiseOp op{.arity = 3,
                                  .kernels = &kKernels<AddQuotient, InexactTypes>,
                                  .check = &check_quotient,
                                  .formula = "x + a * y / z"};
  return op;
}

}  // namespace opwright
