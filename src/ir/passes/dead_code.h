// Removes nodes without effects whose values are unused. Inputs are kept.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// Returns the number of nodes removed. A node that binds a symbol counts as used by every node that
// names that symbol.
OPWRIGHT_EXPORT size_t remove_dead_code(Graph& graph);

}  // namespace opwright
