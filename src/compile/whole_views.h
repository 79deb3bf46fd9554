// Removes views that show their base as it is: expand to the same sizes, view of the same shape.
#pragma once

#include <cstddef>

#include "opwright/ir/graph.h"

namespace opwright {

// The number of nodes removed. Values that the graph gives to its caller stay as they are.
size_t remove_whole_views(Graph& graph);

}  // namespace opwright
