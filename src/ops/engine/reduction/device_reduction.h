// Reductions on a device over some dimensions (OpwDeviceTable::compute_fold).
#pragma once

#include <cstdint>
#include <tuple>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/tensor.h"

namespace opwright {

// Reduces `count` elements to each result; for 0 elements the result is the reduction's identity.
// NotImplementedError if the device has no reductions, or none for complex numbers.
[[nodiscard]] Tensor fold_on_device(const Tensor& self, const Reduction& reduction, int64_t count);
// For "max" and "min" with elements: the value, and its index among the reduced elements.
[[nodiscard]] std::tuple<Tensor, Tensor> fold_with_indices_on_device(const Tensor& self,
                                                                     const Reduction& reduction);

}  // namespace opwright
