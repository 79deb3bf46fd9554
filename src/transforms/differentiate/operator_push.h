// Computes the tangents of an operator's results from its backward formula.
//
// The formula is linear in the gradients, so differentiating it again pushes tangents forward.
// Elementwise operators need no second backward: their formula multiplies by the same factors.
#pragma once

#include <span>
#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {

// Runs the operator on arguments of `level`, below forward mode. `tangents` has one entry per
// tensor among the arguments, lists included; undefined: zero. Returns the tangents of all tensors
// among the results, then of written arguments that are not results; undefined: zero.
[[nodiscard]] std::vector<Tensor> push_by_formula(Interpreter* level, const Operator& op,
                                                  Arguments args, std::span<const Tensor> tangents,
                                                  Results results);

}  // namespace opwright
