// cat for devices without their own kernel for it.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/tensor.h"

namespace opwright {

Tensor cat_all_devices(std::span<const Tensor> tensors, int64_t dim);

}  // namespace opwright
