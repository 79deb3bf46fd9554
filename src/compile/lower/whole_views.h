// Removes views that show their base as it is: expand to the same sizes, view of the same shape.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Makes `view` of every `_unsafe_view`, which shows its argument too, though its schema does not
// say so: whoever writes over a value must know. The number of nodes; values that the graph gives
// to its caller stay as they are.
size_t tell_views(Graph& graph);

// The number of nodes removed. Values that the graph gives to its caller stay as they are.
size_t remove_whole_views(Graph& graph);

}  // namespace opwright
