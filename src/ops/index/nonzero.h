// The indices of the elements that are not zero.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// int64 of sizes [dimensions, elements]: a row of indices for each dimension, in logical order.
[[nodiscard]] Tensor find_nonzero(const Tensor& self);

}  // namespace opwright
