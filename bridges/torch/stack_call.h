// One call from torch's dispatcher: the body of a thunk.
#pragma once

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

struct ThunkSlot;

// Takes ownership of the arguments on the stack and replaces them with the results. Throws an
// exception that torch turns into a Python one, see torch_error.h.
void run_stack_call(const ThunkSlot& slot, StableValue* stack);

}  // namespace opwright::torch_bridge
