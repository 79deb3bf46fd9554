// Tensors in the texts of foreign graphs.
#pragma once

#include <string>

#include "opwright/tensor.h"

namespace opwright {

// "int64[2] {1, 2}"; without elements if it is large or its dtype has no short text.
void append_tensor(std::string& out, const Tensor& tensor);

}  // namespace opwright
