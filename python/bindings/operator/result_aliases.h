// The aliasing that a schema promises, checked on what a kernel returned.
#pragma once

#include "opwright/dispatch/operator.h"

namespace opwright::python {

// Throws RuntimeError if a result without an alias mark shares memory with an argument or another
// result, or if a result that is a written argument is another tensor. Compiled code, traces and
// gradients rely on both.
void check_result_aliases(const Operator& op, Arguments args, Results results);

}  // namespace opwright::python
