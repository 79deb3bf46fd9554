// What a backward may compute again instead of having it saved, and what saving costs.
#pragma once

#include <cstdint>

#include "opwright/ir/graph/node.h"

namespace opwright {

// Views, pointwise operators and fills of the core: they cost nothing in a fused nest. Matrix
// products, folds, random numbers and custom operators do, or may.
[[nodiscard]] bool can_recompute(const Node& node);

// Of the run that was traced; at least 1.
[[nodiscard]] int64_t estimate_bytes(const GraphValue& value);

}  // namespace opwright
