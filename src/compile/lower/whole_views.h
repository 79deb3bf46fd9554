// Removes views that show their base unchanged: expand to the same sizes, view of the same shape.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Turns every `_unsafe_view` into `view`: it is a view too, though its schema does not declare it,
// and code that overwrites values must know. Returns the number of nodes; outputs of the graph stay
// unchanged.
size_t tell_views(Graph& graph);

// Returns the number of nodes removed. Outputs of the graph stay unchanged.
size_t remove_whole_views(Graph& graph);

}  // namespace opwright
