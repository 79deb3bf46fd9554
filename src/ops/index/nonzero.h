// The indices of nonzero elements.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// int64 with sizes [dimensions, elements]: a row of indices per dimension, in logical order.
[[nodiscard]] Tensor find_nonzero(const Tensor& self);

}  // namespace opwright
