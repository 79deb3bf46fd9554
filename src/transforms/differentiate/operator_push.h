// The tangents of one operator's results from its backward formula.
//
// The formula is linear in the gradients that it gets, so its own backward takes tangents forward.
// Elementwise operators need no second backward: their formula multiplies by the same factors.
#pragma once

#include <span>
#include <vector>

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/tensor.h"

namespace opwright {

// Runs the operator on arguments of `level`, below forward mode. `tangents` has one for each tensor
// among the arguments, lists included; undefined: zero. Gives the tangents of all tensors among the
// results, then of written arguments that are no results; undefined: zero.
[[nodiscard]] std::vector<Tensor> push_by_formula(Interpreter* level, const Operator& op,
                                                  Arguments args, std::span<const Tensor> tangents,
                                                  Results results);

}  // namespace opwright
