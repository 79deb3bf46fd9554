// Replaces masks among index tensors.
#pragma once

#include "opwright/ops/index_shape.h"
#include "opwright/tensor.h"

namespace opwright {

// The index tensors of `self`, with each mask replaced by the indices of its true elements: one
// tensor per dimension of the mask. Masks and indices of other devices are handled on the CPU and
// copied. IndexError for a mask of other sizes.
[[nodiscard]] IndexTensors without_masks(const char* who, const Tensor& self,
                                         const IndexTensors& indices);

}  // namespace opwright
