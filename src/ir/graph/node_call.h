// Runs one node: builds its arguments and calls its operator.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/node.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"

namespace opwright {

// The state of a run: the values computed so far, by number, and the symbols.
struct RunState {
  const ShapeEnv* env = nullptr;  // null: no symbols
  std::vector<Value> values;
  SymbolValues symbols;
};

// The value of an argument as `type` (Any for outputs), with symbols substituted; owned.
[[nodiscard]] Value argument_value(const RunState& state, const NodeArgument& argument,
                                   const Type& type);

// Calls the node and returns its results. Recording needs both the caller's and the node's grad
// mode. Errors name the node and its line.
[[nodiscard]] std::vector<Value> call_node(const RunState& state, const Node& node);

// ---- Shared by all ways to run a node ----

// Whether a constant contains symbols to substitute.
[[nodiscard]] bool has_symbols(const OpwValue& constant);
// The type of an element of a list or a tuple; Any if the type does not specify it.
[[nodiscard]] const Type& element_type(const Type& list, size_t index);
// Builds a list of type `type`; Any: the type follows from the elements.
[[nodiscard]] Value list_of(std::vector<Value> elements, const Type& type);
// Adds a note to an error that says which node was called.
void note_node(Error& error, const Node& node);
// ValueError if the list's length differs from the traced one.
void check_list_result(const Node& node, const NodeResult& result, const OpwValue& list);

}  // namespace opwright
