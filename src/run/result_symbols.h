// Symbols that the results of a call bind, and the assertions that they decide.
#pragma once

#include "opwright/ir/graph/graph.h"
#include "opwright/run/frame.h"
#include "opwright/run/schedule.h"
#include "opwright/run/size_plan.h"

namespace opwright {

// After the call, with its results in their slots. ValueError as evaluate() has it.
void bind_result_symbols(const Graph& graph, const Schedule& schedule,
                         const SizePlan::Results& results, Frame& frame);

}  // namespace opwright
