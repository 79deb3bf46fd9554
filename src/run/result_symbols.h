// Binds the symbols in a call's results and checks the assertions that these decide.
#pragma once

#include "opwright/ir/graph/graph.h"
#include "opwright/run/frame.h"
#include "opwright/run/schedule.h"
#include "opwright/run/size_plan.h"

namespace opwright {

// Call it after the call, with its results in their slots. Raises the same ValueError as
// evaluate().
void bind_result_symbols(const Graph& graph, const Schedule& schedule,
                         const SizePlan::Results& results, Frame& frame);

}  // namespace opwright
