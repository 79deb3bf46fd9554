// Values that are easier to read, in the place of a tensor's own.
#pragma once

#include <vector>

#include "opwright/tensor.h"

namespace opwright {

// The simplest first: all ones, all zeros, 0, 1, 2, ..., ones but for nan and inf, whole numbers,
// few digits. Contiguous on the cpu; none that is not simpler than what the tensor has.
[[nodiscard]] std::vector<Tensor> simpler_values(const Tensor& tensor);

}  // namespace opwright
