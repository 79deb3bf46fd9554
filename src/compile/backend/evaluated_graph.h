// The backends "eager" and "trace": run a graph unchanged, call by call.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Each run is evaluate() of the graph, so every call goes through `call`.
[[nodiscard]] ExecutablePtr evaluate_graph(const GraphPtr& graph);
// The same, and prints the text of the graph to stderr when it is compiled.
[[nodiscard]] ExecutablePtr trace_graph(const GraphPtr& graph);

}  // namespace opwright
