// Infers the metadata of a call that is inserted into a graph without tracing.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// Runs the operator's fake kernel on the metadata of the arguments and returns the results for a
// CallDescription. Symbols and guards go to the graph's environment. NotImplementedError if the
// operator has no fake kernel.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Value> infer_results(const Graph& graph,
                                                               const Operator& op,
                                                               std::span<const NodeArgument> args);

// Rebuilds a node's operator results from the metadata of its values, for a CallDescription of the
// same call.
[[nodiscard]] std::vector<Value> results_of(const Node& node);

// A call that copies the line, module and grad mode of node `place`. The caller fills in the
// results.
[[nodiscard]] CallDescription describe_call_at(const Node& place, const Operator& op,
                                               std::vector<NodeArgument> args);
// Inserts a call with inferred results before the node and returns its first value.
GraphValue& insert_call_at(Graph& graph, Node& place, const Operator& op,
                           std::vector<NodeArgument> args);

}  // namespace opwright
