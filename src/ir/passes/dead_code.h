// Removes nodes whose values nothing uses and that neither write nor have another effect. Inputs
// stay.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// The number of nodes removed. A node that binds a symbol is used by whatever names that symbol.
OPWRIGHT_EXPORT size_t remove_dead_code(Graph& graph);

}  // namespace opwright
