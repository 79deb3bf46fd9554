// Smooth interpolation of uint8 as PyTorch computes it: along rows, then along columns, with
// weights of 16 bits and a result that is rounded after each.
#pragma once

#include <span>

#include "opwright/memory_format.h"
#include "opwright/ops/sampling/interpolation.h"
#include "opwright/tensor.h"

namespace opwright {

// Planes of two dimensions, of a tensor of uint8; a tensor of `sizes` in the format.
[[nodiscard]] Tensor resample_bytes(const Tensor& self, const Taps& rows, const Taps& columns,
                                    std::span<const int64_t> sizes, MemoryFormat format);

}  // namespace opwright
