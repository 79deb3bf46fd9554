// Replaces masks among index tensors.
#pragma once

#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// The index tensors of `self`, with each mask replaced by the indices of its true elements: one
// tensor per dimension of the mask. Unless `self` is on the CPU, masks are evaluated on the CPU and
// all index tensors are copied to the device of `self`. IndexError for a mask of other sizes.
[[nodiscard]] IndexTensors without_masks(const char* who, const Tensor& self,
                                         const IndexTensors& indices);

// Warns, as PyTorch does, if the mask is of uint8.
OPWRIGHT_EXPORT void warn_of_byte_mask(const Tensor& mask);

}  // namespace opwright
