// Smooth interpolation of uint8 as PyTorch computes it: along rows, then along columns, with
// weights of 16 bits and a result that is rounded after each.
#pragma once

#include "opwright/ops/sampling/interpolation.h"
#include "opwright/tensor.h"

namespace opwright {

// Planes of two dimensions, of tensors of uint8; `output` is contiguous and has elements.
void resample_bytes(const Tensor& self, const Taps& rows, const Taps& columns,
                    const Tensor& output);

}  // namespace opwright
