// The autograd step: records a call.
#pragma once

#include "opwright/dispatch/arguments.h"
#include "opwright/dispatch/operator.h"
#include "opwright/visibility.h"

namespace opwright {

// Makes the same call without the step, then puts a node on its results. Grad mode is unchanged:
// lower levels record.
void record_call(const Operator& op, Arguments args, Results results);
// The same for a call whose results are known, as new objects without a history. False: the
// operator has no formula of its own, or returns or writes its arguments, so that it must be
// called; `results` are then empty.
[[nodiscard]] OPWRIGHT_EXPORT bool record_known_results(const Operator& op, Arguments args,
                                                        Arguments known, Results results);

}  // namespace opwright
