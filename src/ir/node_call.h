// One node of a run: its arguments put together, its operator called.
#pragma once

#include <vector>

#include "opwright/ir/evaluate.h"
#include "opwright/ir/node.h"
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

}  // namespace opwright
