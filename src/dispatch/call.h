// The only way to run an operator.
//
// In order: modes rewrite the call; the current interpreter lifts foreign arguments; if recording
// is on and an argument of this level requires grad, the autograd step puts its node on the results
// of the call; then the interpreter gets it, or, with none, the operator's row is indexed by what
// the tensors are.
#pragma once

#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// Throws Error. On success every result holds what the schema says; on failure all are None. A
// result marked (a!) is the argument's own handle.
OPWRIGHT_EXPORT void call(const Operator& op, Arguments args, Results results);

// The same call without the autograd step of the current level: what the step itself goes on with.
void call_below_autograd(const Operator& op, Arguments args, Results results);

}  // namespace opwright
