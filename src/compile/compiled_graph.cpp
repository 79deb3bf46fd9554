#include "opwright/compile/compiled_graph.h"

#include "opwright/compile/planned_graph.h"

namespace opwright {

ExecutablePtr compile_graph(const GraphPtr& graph) { return plan_graph(graph); }

}  // namespace opwright
