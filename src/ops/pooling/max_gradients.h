// The gradient of the backward operators of max pooling.
#pragma once

#include <cstdint>

#include "opwright/tensor.h"

namespace opwright {

// The elements of `grad` at the maxima of the windows; indices count over the last `ndim`
// dimensions.
[[nodiscard]] Tensor take_largest(const Tensor& grad, const Tensor& indices, int64_t ndim);

}  // namespace opwright
