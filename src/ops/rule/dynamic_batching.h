// Results with data-dependent sizes under vmap: every sample must have the same number of elements.
#pragma once

#include "opwright/library.h"
#include "opwright/tensor.h"

namespace opwright {

// The indices of the nonzero elements of each sample: [batch, count, dimensions]. RuntimeError if
// samples have different counts.
[[nodiscard]] Tensor nonzero_of_samples(const VmapInfo& info, const Tensor& batch);

}  // namespace opwright
