// The metadata of a call that is added to a graph by hand.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph.h"
#include "opwright/value.h"

namespace opwright {

// What the operator's fake kernel gives for the metadata of the arguments: the results of a
// CallDescription. Symbols and guards go to the graph's environment. NotImplementedError where the
// operator has no fake kernel.
[[nodiscard]] std::vector<Value> infer_results(const Graph& graph, const Operator& op,
                                               std::span<const NodeArgument> args);

}  // namespace opwright
