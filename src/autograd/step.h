// The autograd step: a recorded call.
#pragma once

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"

namespace opwright {

// The same call without the step, then a node on what it gave. Grad mode is left alone: the levels
// below record.
void record_call(const Operator& op, Arguments args, Results results);

}  // namespace opwright
