// Merges nodes that compute the same result. Writes, effects and random numbers are kept; nodes are
// not merged across a write to their inputs, and two returned values stay distinct.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// Returns the number of nodes removed.
OPWRIGHT_EXPORT size_t share_common_subexpressions(Graph& graph);

}  // namespace opwright
