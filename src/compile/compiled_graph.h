// The backend "llvm": a graph fused into nests, the rest as calls, all run by a Plan.
#pragma once

#include <vector>

#include "opwright/compile/executable.h"
#include "opwright/compile/nest.h"
#include "opwright/ir/graph.h"

namespace opwright {

// A graph whose groups are calls of opwright::nest.
struct FusedGraph {
  GraphPtr graph;
  std::vector<Nest> nests;  // distinct or not, in the order of their calls
};

// Decomposed, without dead code and common subexpressions, fused; makes no code.
[[nodiscard]] FusedGraph fuse(const Graph& graph);

// Where no code can be made the plan runs the graph as it is.
[[nodiscard]] ExecutablePtr compile_graph(const GraphPtr& graph);

}  // namespace opwright
