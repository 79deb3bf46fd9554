// Copies nodes of one graph into another over the same symbols.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"

namespace opwright {

class NodeCopier {
 public:
  NodeCopier(const Graph& from, Graph& to) : to_(to), values_(from.num_value_numbers(), nullptr) {}

  // What stands for a value in the other graph; null: nothing yet.
  [[nodiscard]] GraphValue* find(const GraphValue& value) const { return values_[value.number()]; }
  void set(const GraphValue& from, GraphValue& to) { values_[from.number()] = &to; }

  // From here on nothing tells of autograd: for graphs that are run unrecorded.
  void drop_autograd() noexcept { drops_autograd_ = true; }

  // An input of the same name, role and tensor.
  GraphValue& copy_input(const GraphValue& input);
  // At the end of the other graph; what it uses has been set.
  Node& copy_call(const Node& node);
  [[nodiscard]] NodeArgument copy(const NodeArgument& argument) const;
  [[nodiscard]] std::vector<NodeArgument> copy(std::span<const NodeArgument> arguments) const;

 private:
  Graph& to_;
  std::vector<GraphValue*> values_;  // by the number of the old one
  bool drops_autograd_ = false;
};
}  // namespace opwright
