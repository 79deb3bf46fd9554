// The values of a tensor, for checks of composites, which are called above all transforms.
#pragma once

#include <vector>

#include "opwright/tensor.h"

namespace opwright {

// The elements of a real tensor, if they can be read here: it is on the CPU, is not fake, and no
// transform is active (a traced or mapped tensor has no values of its own). Else none.
[[nodiscard]] std::vector<double> values_to_check(const Tensor& tensor);

}  // namespace opwright
