// Removes `copy(self, src)`, which functionalized writes of entire tensors produce, if the result
// equals `src` in everything but memory.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Returns the number of nodes removed. The graph must not write before its end.
size_t remove_whole_copies(Graph& graph);

}  // namespace opwright
