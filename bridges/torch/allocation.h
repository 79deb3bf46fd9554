// Operators of torch that make an empty tensor, without torch's dispatcher.
#pragma once

#include "bridges/operators/allocation_request.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// The new tensor, owned, as the operator gives it; null for a call that is not a simple one
// (allocation_request.h). Throws Error.
[[nodiscard]] OpwTensor* allocate_simply(bridges::Allocation allocation, const OpwValue* args);

}  // namespace opwright::torch_bridge
