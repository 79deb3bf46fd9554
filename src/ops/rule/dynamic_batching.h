// Results whose size is in the data, under vmap: every sample must have as many elements.
#pragma once

#include "opwright/library.h"
#include "opwright/tensor.h"

namespace opwright {

// The places of the elements of each sample that are not zero: [batch, count, dimensions].
// RuntimeError where samples have different numbers of them.
[[nodiscard]] Tensor nonzero_of_samples(const VmapInfo& info, const Tensor& batch);

}  // namespace opwright
