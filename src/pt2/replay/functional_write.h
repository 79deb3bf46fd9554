// Functional forms of operators that write: they get copies of what they write, which become
// results (torch.ops.higher_order.auto_functionalized and auto_functionalized_v2).
#pragma once

#include <vector>

#include "opwright/pt2/archive/archive_graph.h"
#include "opwright/pt2/replay/replay.h"
#include "opwright/value.h"

namespace opwright::pt2 {

// The operator's results (None if it has none), then the new value of each argument that it writes.
[[nodiscard]] std::vector<Value> call_with_cloned_arguments(const ArchiveNode& node,
                                                            const GraphValues& values);

// The operator's results (None if it has none), then the new value of each of the tensors
// `_all_bases`. An argument that the operator writes is such a tensor, or a view of it, as
// `_<argument>_base_index` and its kin say. NotImplementedError for a base whose copy has other
// strides, if the view is given by strides.
[[nodiscard]] std::vector<Value> call_with_cloned_bases(const ArchiveNode& node,
                                                        const GraphValues& values);

}  // namespace opwright::pt2
