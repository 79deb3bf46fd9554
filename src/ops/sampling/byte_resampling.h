// Smooth interpolation of uint8 as PyTorch computes it: along rows, then along columns, with 16-bit
// weights and rounding after each.
#pragma once

#include "opwright/ops/sampling/interpolation.h"
#include "opwright/tensor.h"

namespace opwright {

// For 2-d planes of uint8 tensors; `output` is contiguous and nonempty.
void resample_bytes(const Tensor& self, const Taps& rows, const Taps& columns,
                    const Tensor& output);

}  // namespace opwright
