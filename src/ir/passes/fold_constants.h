// Computes nodes whose inputs are all known when the graph is made, and puts their results in as
// inputs of role Constant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/visibility.h"

namespace opwright {

// The number of nodes removed. Results of more than `most_elements` stay computed, and so does what
// is written or given to the caller: each run makes that anew.
OPWRIGHT_EXPORT size_t fold_constants(Graph& graph, int64_t most_elements = 1 << 16);

}  // namespace opwright
