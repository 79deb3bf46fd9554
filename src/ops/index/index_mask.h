// Masks among index tensors.
#pragma once

#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/tensor.h"

namespace opwright {

// The index tensors of `self` with masks as the indices of their true elements: one tensor for each
// dimension of a mask. Those of a device are found on the CPU and copied to it, as indices of the
// CPU are. IndexError for a mask of other sizes.
[[nodiscard]] IndexTensors without_masks(const char* who, const Tensor& self,
                                         const IndexTensors& indices);

}  // namespace opwright
