// torch's operators that create an empty tensor, without torch's dispatcher.
#pragma once

#include "bridges/operators/allocation_request.h"
#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// The new tensor, owned, as the operator returns it; null for a call that is not simple
// (allocation_request.h). Throws Error.
[[nodiscard]] OpwTensor* allocate_simply(bridges::Allocation allocation, const OpwValue* args);

}  // namespace opwright::torch_bridge
