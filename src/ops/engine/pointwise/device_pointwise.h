// The engine for pointwise operations on devices with loops: a call becomes one loop over the
// operation's formula.
//
// A zero-dim CPU tensor among the operands is read as a number. Integer division by zero gives
// whatever the device gives.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

// Like the functions of cpu/pointwise_engine.h; NotImplementedError if the operation has no formula
// for the dtypes or the device has no loops.
[[nodiscard]] Tensor compute_pointwise_on_device(const PointwiseCall& call);
void compute_pointwise_in_place_on_device(const PointwiseCall& call, const Tensor& self);
void compute_pointwise_out_on_device(const PointwiseCall& call, const Tensor& out);

}  // namespace opwright
