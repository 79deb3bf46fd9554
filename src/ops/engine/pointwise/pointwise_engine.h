// The CPU's engine of pointwise operations.
//
// Dense operands of one dtype go to the kernel as they are. All others are read through small
// buffers in the first cache, converted and made dense on the way, so that an operation has one
// loop for each dtype; the output likewise. Many elements are shared among the threads of the pool.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// A new tensor with the result.
[[nodiscard]] Tensor compute_pointwise(const PointwiseCall& call);
// Writes the result to `self`, the first operand, converted to its dtype. TypeError, ValueError and
// RuntimeError as in_place.h has them.
void compute_pointwise_in_place(const PointwiseCall& call, const Tensor& self);
// Writes the result to `out`, which gets the sizes of the result when it has no elements.
void compute_pointwise_out(const PointwiseCall& call, const Tensor& out);

}  // namespace opwright
