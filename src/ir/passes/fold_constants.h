// Evaluates nodes whose inputs are all constants and replaces their results with inputs of role
// Constant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// Returns the number of nodes removed. A result stays computed if it has more than `most_elements`
// elements, is written, or is returned: each run must create these itself.
OPWRIGHT_EXPORT size_t fold_constants(Graph& graph, int64_t most_elements = 1 << 16);

}  // namespace opwright
