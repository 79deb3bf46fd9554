// What a pointwise call computes, as an expression that a compiler can read.
//
// An operation tells its formula beside its kernels (PointwiseOp::formula): over the operands x, y,
// z, in the dtype that is computed in, and the numbers a, b, c of the call. Operators of C++ with
// its precedence, numbers, ?:, and functions by the names of lane operations: "x + a * y",
// "x > 0 ? x : a * x", "0.5 * x * (1 + erf(x * 0.7071067811865476))".
//
// Literals have the dtype that is computed in, comparisons and && || ! are truth values, & | ^ !
// of bools are the logical operations. A subexpression may stand in a formula more than once; it
// is meant to be computed once. What is not chosen by ?: may be computed, and traps nowhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/dispatch/operator.h"
#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

struct PointwiseFormula {
  struct Operand {
    bool is_number = false;
    bool keeps_wide = false;  // a tensor that is not rounded to the half it meets the others in
    uint32_t argument = 0;    // of the call; where it is a tensor
    Scalar number = {};       // rounded as kernels do it; or a symbol, a SymInt
  };
  const char* text = nullptr;
  std::vector<Operand> operands;  // x, y, z
  std::vector<Scalar> numbers;    // a, b, c; never symbols
  bool has_condition = false;     // x is a bool and is not converted
  DType common{};                 // in which the operands meet
  DType compute{};                // in which the formula is
  DType result{};
};

// The formula of an operation for the dtype that is computed in; null: it has none for this one.
[[nodiscard]] const char* formula_text(const PointwiseOp& op, DType compute);
// A number a, b, c, or one in the place of an operand, as kernels hold it; symbols stay as they
// are.
[[nodiscard]] Scalar number_in_formula(const Scalar& number, DType compute);
[[nodiscard]] Scalar operand_in_formula(const PointwiseOp& op, const Scalar& number, DType compute);
// Whether a tensor is not rounded to the half that it meets the others in.
[[nodiscard]] bool keeps_wide(const PointwiseOp& op, const Tensor& operand, DType compute);

// None: the operator is no pointwise one, its CPU kernel is not the core's own, it writes, or it
// has no formula for these dtypes. Tensors among the arguments may be fakes. Formulas of ints that
// are divided by what may be zero are given to those who may trap there.
[[nodiscard]] std::optional<PointwiseFormula> find_formula(const Operator& op, Arguments args,
                                                           bool may_trap = false);

}  // namespace opwright
