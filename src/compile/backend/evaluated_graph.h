// The backends "eager" and "trace": a graph as it is, call by call.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Each run is evaluate() of the graph, so that every call goes through `call`.
[[nodiscard]] ExecutablePtr evaluate_graph(const GraphPtr& graph);
// The same, and the text of the graph goes to stderr when it is compiled.
[[nodiscard]] ExecutablePtr trace_graph(const GraphPtr& graph);

}  // namespace opwright
