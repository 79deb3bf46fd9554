// The backend "llvm": a graph fused into nests, the rest as calls, all run by a Plan.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// The graph in the form that is fused: operators taken apart that nests can compute, nothing twice,
// nothing unused.
[[nodiscard]] GraphPtr lower(const Graph& graph);

// Where no code can be made the plan runs the graph as it is.
[[nodiscard]] ExecutablePtr compile_graph(const GraphPtr& graph);

}  // namespace opwright
