// Makes of nodes that compute the same one node. Writes, effects and random numbers stay; nothing
// is shared across a write to what it reads, and two values that the graph returns stay two.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// The number of nodes removed.
OPWRIGHT_EXPORT size_t share_common_subexpressions(Graph& graph);

}  // namespace opwright
