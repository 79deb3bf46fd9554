// The engine of pointwise operations on devices that compute loops: a call becomes one loop over
// the operation's formula.
//
// A zero-dim tensor of the cpu among the operands is read as a number. Ints over zero give what the
// device gives.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// As the functions of cpu/pointwise_engine.h; NotImplementedError where the operation has no
// formula for the dtypes or the device computes no loops.
[[nodiscard]] Tensor compute_pointwise_on_device(const PointwiseCall& call);
void compute_pointwise_in_place_on_device(const PointwiseCall& call, const Tensor& self);
void compute_pointwise_out_on_device(const PointwiseCall& call, const Tensor& out);

}  // namespace opwright
