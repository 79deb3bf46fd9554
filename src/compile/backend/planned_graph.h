// The backend "plan": runs a graph unchanged by a Plan.
#pragma once

#include "opwright/compile/backend/executable.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

[[nodiscard]] ExecutablePtr plan_graph(const GraphPtr& graph);

}  // namespace opwright
