// The outputs of an exported graph: the inputs that it writes at its end, and what it returns.
#pragma once

#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/program/export/signature.h"

namespace opwright {

// The mutations made by the graph's last calls, then the user outputs of `before` with their values
// replaced by the graph's outputs. ValueError if their number differs.
[[nodiscard]] std::vector<OutputSpec> outputs_of(const Graph& graph, const GraphSignature& before);

// ValueError if the outputs of the signature are not those of the graph.
void check_outputs(const Graph& graph, const GraphSignature& signature);

}  // namespace opwright
