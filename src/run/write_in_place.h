// Performs the writes at the end of a functional graph early and in place.
//
//   %new = aten::slice_scatter(%cache, %rows, 0, 2, 3)      %part = aten::slice(%cache, 0, 2, 3)
//   ... reads of %new ...                              ->   aten::copy_(%part, %rows)
//   aten::copy_(%cache, %new)                               ... reads of %cache ...
//
// So a decoder step touches only the rows that it writes, not its entire cache.
#pragma once

#include <functional>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Rewrites the graph in place where nothing reads the old value afterwards and the new value is not
// returned. Returns the inputs that are written before the end. `is_apart` says whether an input
// shares no memory with other inputs of the run.
std::vector<GraphValue*> write_in_place(Graph& graph,
                                        const std::function<bool(const GraphValue&)>& is_apart);

}  // namespace opwright
