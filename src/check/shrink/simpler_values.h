// Values that are easier to read than a tensor's own.
#pragma once

#include <vector>

#include "opwright/tensor.h"

namespace opwright {

// Simplest first: all ones, all zeros, 0, 1, 2, ..., ones except nan and inf, integers, few digits.
// Contiguous on the CPU; only values simpler than the tensor's.
[[nodiscard]] std::vector<Tensor> simpler_values(const Tensor& tensor);

}  // namespace opwright
