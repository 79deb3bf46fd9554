// The sizes and strides of the result of an elementwise operator.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"

namespace opwright {

// The strides of an operand of these sizes when broadcast to `broadcast`: 0 where it is repeated.
[[nodiscard]] Sizes broadcast_strides(std::span<const int64_t> sizes,
                                      std::span<const int64_t> strides,
                                      std::span<const int64_t> broadcast);

template <class Int>
struct BasicLayout {
  std::span<const Int> sizes;
  std::span<const Int> strides;
};
using OperandLayout = BasicLayout<int64_t>;
using SymLayout = BasicLayout<SymInt>;

// Dense strides with the dimension order of the inputs, as PyTorch chooses it. A number among the
// operands is broadcast, and then the strides of size-1 dimensions matter too.
[[nodiscard]] Sizes elementwise_strides(std::span<const int64_t> sizes,
                                        std::span<const OperandLayout> inputs, bool has_number);
[[nodiscard]] SymSizes elementwise_strides(std::span<const SymInt> sizes,
                                           std::span<const SymLayout> inputs, bool has_number);

}  // namespace opwright
