// Fake kernels of pointwise operators: shape, dtype and device without data; sizes may be symbolic.
#pragma once

#include "opwright/ops/engine/pointwise/pointwise.h"

namespace opwright {

[[nodiscard]] Tensor fake_pointwise(const PointwiseCall& call);
// Makes the same checks on the written tensor as the kernels.
void fake_pointwise_in_place(const PointwiseCall& call, const Tensor& self);
void fake_pointwise_out(const PointwiseCall& call, const Tensor& out);

}  // namespace opwright
