// The backend "llvm": fuses a graph into nests and runs nests and remaining calls by a Plan.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// The graph in the form for fusion: operators that nests can compute are decomposed, duplicate and
// unused nodes are removed.
[[nodiscard]] GraphPtr lower(const Graph& graph);

// If no code can be made, the plan runs the graph as it is.
[[nodiscard]] ExecutablePtr compile_graph(const GraphPtr& graph);

}  // namespace opwright
