// The sizes and strides of the result of an elementwise operator.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symbolic/sizes.h"

namespace opwright {

// The strides of an operand of these sizes when it is read as `broadcast`: 0 where it is repeated.
[[nodiscard]] Sizes broadcast_strides(std::span<const int64_t> sizes,
                                      std::span<const int64_t> strides,
                                      std::span<const int64_t> broadcast);

struct OperandLayout {
  std::span<const int64_t> sizes;
  std::span<const int64_t> strides;
};

// Dense strides whose order of dimensions is that of the inputs, as PyTorch chooses it. A number
// among the operands is broadcast, and then strides of dimensions of size 1 count as well.
[[nodiscard]] Sizes elementwise_strides(std::span<const int64_t> sizes,
                                        std::span<const OperandLayout> inputs, bool has_number);

}  // namespace opwright
