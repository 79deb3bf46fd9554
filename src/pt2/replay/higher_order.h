// Calls of operators that take graphs or other operators: regions with another mode, control flow,
// functional forms of operators that write.
#pragma once

#include <vector>

#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/value.h"

namespace opwright::pt2 {

// The flat results of a node whose target begins with kHigherOrder; `values` has those of its
// arguments. Regions with another mode are inlined. cond and while_loop become ours; scan and map
// become their first step and a loop. NotImplementedError for another one, by name; ValueError for
// arguments of another form.
[[nodiscard]] std::vector<Value> call_higher_order(const ArchiveNode& node,
                                                   const GraphValues& values);

}  // namespace opwright::pt2
