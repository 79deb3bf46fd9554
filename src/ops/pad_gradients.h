// The gradients of constant_pad_nd and roll.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// Without what `pad` added, and with zeros for what it cut off.
[[nodiscard]] Tensor unpad(const Tensor& grad, std::span<const SymInt> pad);
// With the elements where they were before roll.
[[nodiscard]] Tensor unroll(const Tensor& grad, std::span<const SymInt> shifts,
                            std::span<const int64_t> dims);

}  // namespace opwright
