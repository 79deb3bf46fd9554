// The CPU engine for pointwise operations.
//
// Dense operands of one dtype go directly to the kernel. All others, and the output, go through
// small buffers in the L1 cache, where they are converted and made dense, so an operation needs one
// loop per dtype. Large calls are distributed over the thread pool.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// Returns the result as a new tensor.
[[nodiscard]] Tensor compute_pointwise(const PointwiseCall& call);
// Writes the result to `self`, the first operand, converted to its dtype. Raises TypeError,
// ValueError and RuntimeError as in in_place.h.
void compute_pointwise_in_place(const PointwiseCall& call, const Tensor& self);
// Writes the result to `out`, which is resized if it has no elements.
void compute_pointwise_out(const PointwiseCall& call, const Tensor& out);

}  // namespace opwright
