// One call of torch's dispatcher: what a thunk does.
#pragma once

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

struct ThunkSlot;

// Takes over the arguments on the stack and puts the results in their place. Throws an exception
// that torch turns into that of Python, see torch_error.h.
void run_stack_call(const ThunkSlot& slot, StableValue* stack);

}  // namespace opwright::torch_bridge
