// Whether two tensors have memory in common.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Whether they have an element in common. Two storages may be the same foreign memory: then it is
// decided by their addresses. Both are on the CPU.
[[nodiscard]] bool share_memory(const Tensor& a, const Tensor& b);

}  // namespace opwright
