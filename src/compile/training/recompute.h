// Decides what a backward may recompute instead of saving, and estimates the cost of saving.
#pragma once

#include <cstdint>

#include "opwright/ir/graph/node.h"

namespace opwright {

// Views, pointwise operators and fills of the core are free in a fused nest. Matrix products,
// reductions, random numbers and custom operators are not, or may not be.
[[nodiscard]] bool can_recompute(const Node& node);

// In the traced run; at least 1.
[[nodiscard]] int64_t estimate_bytes(const GraphValue& value);

}  // namespace opwright
