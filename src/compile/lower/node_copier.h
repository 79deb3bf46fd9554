// Copies nodes of one graph into another one over the same symbols.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"

namespace opwright {

class NodeCopier {
 public:
  NodeCopier(const Graph& from, Graph& to) : to_(to), values_(from.num_value_numbers(), nullptr) {}

  // The copy of a value in the other graph; null if there is none yet.
  [[nodiscard]] GraphValue* find(const GraphValue& value) const { return values_[value.number()]; }
  void set(const GraphValue& from, GraphValue& to) { values_[from.number()] = &to; }

  // From here on copies have no autograd information, for graphs that run unrecorded.
  void drop_autograd() noexcept { drops_autograd_ = true; }

  // An input of the same name, role and tensor.
  GraphValue& copy_input(const GraphValue& input);
  // Appends to the other graph; the values that it uses must be set.
  Node& copy_call(const Node& node);
  [[nodiscard]] NodeArgument copy(const NodeArgument& argument) const;
  [[nodiscard]] std::vector<NodeArgument> copy(std::span<const NodeArgument> arguments) const;

 private:
  // The copy, which must exist.
  [[nodiscard]] GraphValue& get(const GraphValue& value) const;

  Graph& to_;
  std::vector<GraphValue*> values_;  // by the number of the original
  bool drops_autograd_ = false;
};
}  // namespace opwright
