// The inputs from a gradient scaler to a fused update: a common factor of the gradients, and
// whether one of them is not finite.
#pragma once

#include <optional>
#include <span>

#include "opwright/tensor.h"

namespace opwright {

// The single element of a tensor as a double.
[[nodiscard]] double read_number(const Tensor& tensor);

// Divides the gradients by the scale, in place. False: skip the update.
[[nodiscard]] bool unscale(std::span<const Tensor> gradients,
                           const std::optional<Tensor>& grad_scale,
                           const std::optional<Tensor>& found_inf);

}  // namespace opwright
