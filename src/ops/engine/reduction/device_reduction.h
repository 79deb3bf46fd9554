// Reductions on a device: one fold over some dimensions (OpwDeviceTable::compute_fold).
#pragma once

#include <cstdint>
#include <tuple>

#include "opwright/ops/engine/reduction/reduction.h"
#include "opwright/tensor.h"

namespace opwright {

// `count` elements are folded into each result; of none the result is the fold's value of nothing.
// NotImplementedError where the device computes no folds, or none of complex numbers.
[[nodiscard]] Tensor fold_on_device(const Tensor& self, const Reduction& reduction, int64_t count);
// Of "max" and "min", with elements: the value, and its number among those that were folded.
[[nodiscard]] std::tuple<Tensor, Tensor> fold_with_indices_on_device(const Tensor& self,
                                                                     const Reduction& reduction);

}  // namespace opwright
