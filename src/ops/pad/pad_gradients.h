// The gradient of constant_pad_nd.
#pragma once

#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// Removes what `pad` added and inserts zeros for what it cut off.
[[nodiscard]] Tensor unpad(const Tensor& grad, std::span<const SymInt> pad);

}  // namespace opwright
