// Removes `copy(self, src)`, which functionalised writes of whole tensors are, where the result is
// `src` in all but memory.
#pragma once

#include <cstddef>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// The number of nodes removed. Of a graph that writes nothing before its end.
size_t remove_whole_copies(Graph& graph);

}  // namespace opwright
