// The autograd step: records a call.
#pragma once

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"

namespace opwright {

// Makes the same call without the step, then puts a node on its results. Grad mode is unchanged:
// lower levels record.
void record_call(const Operator& op, Arguments args, Results results);

}  // namespace opwright
