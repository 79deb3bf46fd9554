// Runs a graph by calling its operators one after the other, at the caller's level: under a
// transform it is transformed as the function that it was traced from.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// The values of the symbols of a graph; words, since a run on fake tensors gives symbols again.
using SymbolValues = std::unordered_map<std::string, SymInt>;

// The outputs, given one value for each input of role Argument; the other inputs come from the
// graph. Sizes are checked against the metadata and the guards of the graph. ValueError that names
// the input, the dimension and the line that asked; TypeError for a wrong dtype, device or number
// of dimensions. An input of role RandomState is the state of the default generator when the run
// starts (ir/random_input.h); the last outputs are then the states to set at its end, one for each
// such input, and are not given back.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Value> evaluate(const Graph& graph,
                                                          std::span<const OpwValue> arguments);

// The same for a sub-graph whose symbols were bound by the graph around it.
[[nodiscard]] std::vector<Value> evaluate(const Graph& graph, std::span<const OpwValue> arguments,
                                          SymbolValues symbols);

// All outputs, given a value for every input of any role: nothing is taken from the graph or from a
// generator. Sizes are checked.
[[nodiscard]] std::vector<Value> evaluate_all(const Graph& graph, std::vector<Value> inputs);

// The value of an expression of `env`. KeyError for a symbol that has none.
[[nodiscard]] OPWRIGHT_EXPORT SymInt substitute(const ShapeEnv& env, const SymInt& expression,
                                                const SymbolValues& values);

}  // namespace opwright
