// The only way to run an operator.
//
// In order: modes rewrite the call; the current interpreter lifts foreign arguments; if recording
// is on and an argument of this level requires grad, the autograd step puts its node on the results
// of the call; then the interpreter gets the call or, if there is none, the tensors' devices and
// flags select a function of the operator's row.
#pragma once

#include "opwright/dispatch/interpreter.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// Throws Error. On success every result holds what the schema says; on failure all are None. A
// result marked (a!) is the argument's own handle.
OPWRIGHT_EXPORT void call(const Operator& op, Arguments args, Results results);

// The same call without the autograd step of the current level: the step itself continues with it.
void call_below_autograd(const Operator& op, Arguments args, Results results);

}  // namespace opwright
