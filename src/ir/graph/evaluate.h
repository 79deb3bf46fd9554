// Runs a graph by calling its operators in order at the caller's level. Under a transform, the
// graph is transformed like the function it was traced from.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// The values of a graph's symbols. SymInts, since a run on fake tensors produces symbols again.
using SymbolValues = std::unordered_map<std::string, SymInt>;

// Runs the graph on one value per input of role Argument and returns the outputs; the graph
// provides the other inputs. Sizes are checked against the graph's metadata and guards: ValueError
// names the input, the dimension and the line that required it; TypeError for a wrong dtype, device
// or number of dimensions. An input of role RandomState is the state of the default generator at
// the start of the run (ir/random_input.h). The last outputs are then the states to set at the end,
// one per such input, and are not returned.
[[nodiscard]] OPWRIGHT_EXPORT std::vector<Value> evaluate(const Graph& graph,
                                                          std::span<const OpwValue> arguments);

// The same for a sub-graph whose symbols are bound by the enclosing graph.
[[nodiscard]] std::vector<Value> evaluate(const Graph& graph, std::span<const OpwValue> arguments,
                                          SymbolValues symbols);

// Runs the graph on a value for every input of any role and returns all outputs: nothing is read
// from the graph or from a generator. Sizes are checked.
[[nodiscard]] std::vector<Value> evaluate_all(const Graph& graph, std::vector<Value> inputs);

// Evaluates an expression of `env`. KeyError for a symbol without a value.
[[nodiscard]] OPWRIGHT_EXPORT SymInt substitute(const ShapeEnv& env, const SymInt& expression,
                                                const SymbolValues& values);

}  // namespace opwright
