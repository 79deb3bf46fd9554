// What a pointwise call computes, as an expression for compilers.
//
// An operation declares its formula next to its kernels (PointwiseOp::formula), over the operands
// x, y, z in the compute dtype and the numbers a, b, c of the call. It consists of C++ operators
// with their precedence, numbers, ?:, and functions named after lane operations: "x + a * y", "x >
// 0 ? x : a * x", "0.5 * x * (1 + erf(x * 0.7071067811865476))".
//
// Literals have the compute dtype, comparisons and && || ! are truth values, & | ^ ! of bools are
// logical operations. A subexpression may occur more than once; it should be computed once. Both
// branches of ?: may be computed, and neither traps.
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
    bool keeps_wide = false;  // a tensor that is not rounded to the common half dtype
    uint32_t argument = 0;    // index in the call, for a tensor
    Scalar number = {};       // rounded like in kernels; or a symbol, a SymInt
  };
  const char* text = nullptr;
  std::vector<Operand> operands;  // x, y, z
  std::vector<Scalar> numbers;    // a, b, c; never symbols
  bool has_condition = false;     // x is a bool and is not converted
  DType common{};                 // of the operands
  DType compute{};                // of the formula
  DType result{};
};

// The formula of an operation for a compute dtype; null: none.
[[nodiscard]] const char* formula_text(const PointwiseOp& op, DType compute);
// A number a, b, c, or one that is an operand, rounded like in kernels; symbols are unchanged.
[[nodiscard]] Scalar number_in_formula(const Scalar& number, DType compute);
[[nodiscard]] Scalar operand_in_formula(const PointwiseOp& op, const Scalar& number, DType compute);
// Whether a tensor is not rounded to the common half dtype.
[[nodiscard]] bool keeps_wide(const PointwiseOp& op, const Tensor& operand, DType compute);

// None if the operator is not pointwise, its CPU kernel is not the core's own, it writes, or it has
// no formula for these dtypes. Tensors among the arguments may be fakes. Integer formulas with a
// divisor that may be zero are returned only to callers that may trap.
[[nodiscard]] std::optional<PointwiseFormula> find_formula(const Operator& op, Arguments args,
                                                           bool may_trap = false);

}  // namespace opwright
