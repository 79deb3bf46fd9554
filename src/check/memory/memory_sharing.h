// Whether two tensors share memory.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Whether they have an element in common. Two storages may wrap the same foreign memory: then their
// addresses decide. Both are on the CPU.
[[nodiscard]] bool share_memory(const Tensor& a, const Tensor& b);

}  // namespace opwright
