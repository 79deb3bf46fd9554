// An argument of a node: a value of the graph, a constant, or a list of these.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/value.h"

namespace opwright {

class GraphValue;

class NodeArgument {
 public:
  enum class Kind : uint8_t { Constant, Value, List };

  NodeArgument() = default;  // None
  // Anything but a tensor. Symbolic ints are expressions over the graph's symbols.
  [[nodiscard]] static NodeArgument constant(Value value) {
    NodeArgument argument;
    argument.constant_ = std::move(value);
    return argument;
  }
  [[nodiscard]] static NodeArgument of(GraphValue& value) {
    NodeArgument argument;
    argument.kind_ = Kind::Value;
    argument.value_ = &value;
    return argument;
  }
  // For lists that contain a value of the graph; other lists are constants.
  [[nodiscard]] static NodeArgument list(std::vector<NodeArgument> elements) {
    NodeArgument argument;
    argument.kind_ = Kind::List;
    argument.elements_ = std::move(elements);
    return argument;
  }

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const Value& constant() const noexcept { return constant_; }
  [[nodiscard]] GraphValue& value() const noexcept { return *value_; }
  [[nodiscard]] const std::vector<NodeArgument>& elements() const noexcept { return elements_; }

  // Calls `visit(GraphValue&)` for every value in the argument, in order.
  template <class Visit>
  void visit_values(const Visit& visit) const {
    if (kind_ == Kind::Value) visit(*value_);
    for (const NodeArgument& element : elements_) element.visit_values(visit);
  }
  // Replaces every occurrence of `from` with `to`.
  void replace(const GraphValue& from, GraphValue& to) {
    if (value_ == &from) value_ = &to;
    for (NodeArgument& element : elements_) element.replace(from, to);
  }

 private:
  Kind kind_ = Kind::Constant;
  Value constant_;
  GraphValue* value_ = nullptr;
  std::vector<NodeArgument> elements_;
};

}  // namespace opwright
