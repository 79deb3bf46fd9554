// The outputs of an exported graph: what it writes at its end, and what it returns.
#pragma once

#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/signature.h"

namespace opwright {

// The mutations that the graph's last calls are, then user outputs: those of `before`, the graph's
// outputs in place of their values. ValueError for another number of them.
[[nodiscard]] std::vector<OutputSpec> outputs_of(const Graph& graph, const GraphSignature& before);

// ValueError for a signature whose outputs are not those of the graph.
void check_outputs(const Graph& graph, const GraphSignature& signature);

}  // namespace opwright
