// Operators of torch that make an empty tensor, without torch's dispatcher.
#pragma once

#include <string>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

enum class Allocation : uint8_t { None, Empty, EmptyStrided, EmptyLike, NewEmpty, NewEmptyStrided };

// None for the name of any other operator.
[[nodiscard]] Allocation find_allocation(const std::string& name);

// The new tensor, owned, as the operator gives it; null for a call that is not a simple one (a
// default dtype, pinned memory, channels_last, an input that is not dense, ...). Throws Error.
[[nodiscard]] OpwTensor* allocate_simply(Allocation allocation, const OpwValue* args);

}  // namespace opwright::torch_bridge
