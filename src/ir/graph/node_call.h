// One node of a run: its arguments put together, its operator called.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/node.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"

namespace opwright {

// What a run knows: the values that are there, by number, and the symbols.
struct RunState {
  const ShapeEnv* env = nullptr;  // null: no symbols
  std::vector<Value> values;
  SymbolValues symbols;
};

// The value of an argument of that type (Any: of an output), symbols put in; owned.
[[nodiscard]] Value argument_value(const RunState& state, const NodeArgument& argument,
                                   const Type& type);

// The results of the node. Runs under the caller's grad mode and that of the node; errors tell the
// node and its line.
[[nodiscard]] std::vector<Value> call_node(const RunState& state, const Node& node);

// ---- What every way to run a node shares ----

// Whether symbols have to be put into a constant.
[[nodiscard]] bool has_symbols(const OpwValue& constant);
// The type of an element of a list or a tuple; Any where the type does not tell.
[[nodiscard]] const Type& element_type(const Type& list, size_t index);
// The list as `type` has it; Any: as its elements suggest.
[[nodiscard]] Value list_of(std::vector<Value> elements, const Type& type);
// Adds to an error of a call which node it was.
void note_node(Error& error, const Node& node);
// A list of another length than the graph was traced with. ValueError.
void check_list_result(const Node& node, const NodeResult& result, const OpwValue& list);

}  // namespace opwright
