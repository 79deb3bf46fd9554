// Writes at the end of a functional graph go to their places at once.
//
//   %new = aten::slice_scatter(%cache, %rows, 0, 2, 3)      %part = aten::slice(%cache, 0, 2, 3)
//   ... reads of %new ...                              ->   aten::copy_(%part, %rows)
//   aten::copy_(%cache, %new)                               ... reads of %cache ...
//
// So a step of a decoder touches the rows that it writes and not its whole cache.
#pragma once

#include <functional>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Rewrites what it can, in place, where nothing reads the old value afterwards and the new one is
// not given to the caller; gives the inputs that are written before the end. `is_apart` tells of an
// input whose memory no other input of the run has.
std::vector<GraphValue*> write_in_place(Graph& graph,
                                        const std::function<bool(const GraphValue&)>& is_apart);

}  // namespace opwright
