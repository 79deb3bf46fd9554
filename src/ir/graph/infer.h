// The metadata of a call that is added to a graph by hand.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// What the operator's fake kernel gives for the metadata of the arguments: the results of a
// CallDescription. Symbols and guards go to the graph's environment. NotImplementedError where the
// operator has no fake kernel.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Value> infer_results(const Graph& graph,
                                                               const Operator& op,
                                                               std::span<const NodeArgument> args);

// What the operator of a node gave, put together from the metadata of its values: the results of a
// CallDescription of the same call.
[[nodiscard]] std::vector<Value> results_of(const Node& node);

// A call in the place of a node: at its line, in its module, under its grad mode. The results are
// still to be told.
[[nodiscard]] CallDescription describe_call_at(const Node& place, const Operator& op,
                                               std::vector<NodeArgument> args);
// Puts a call with inferred results before the node; gives its first value.
GraphValue& insert_call_at(Graph& graph, Node& place, const Operator& op,
                           std::vector<NodeArgument> args);

}  // namespace opwright
