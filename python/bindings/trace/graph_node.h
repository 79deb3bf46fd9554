// opwright.Node and opwright.NodeValue: places in a graph that know when they are gone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "opwright/ir/graph/graph.h"

namespace opwright::python {

// A node and the graph that keeps it; an erased node stays an object whose use is an error.
struct NodeObject {
  GraphPtr graph;
  Node* place;

  // ValueError for a node that was erased.
  [[nodiscard]] Node& node() const;
};

// One of several values of a node.
struct NodeValueObject {
  NodeObject owner;
  uint32_t index;

  [[nodiscard]] GraphValue& value() const { return owner.node().values()[index]; }
};

void bind_graph_node(nanobind::module_& m);

[[nodiscard]] NodeObject node_object(const GraphPtr& graph, Node& node);
// The node itself where it has this one value, else a NodeValue.
[[nodiscard]] nanobind::object value_object(const GraphPtr& graph, GraphValue& value);
// A value of the graph as torch.fx shows it: Node or NodeValue, a constant, a list.
[[nodiscard]] nanobind::object argument_object(const GraphPtr& graph, const NodeArgument& argument);

// The value that a Node or NodeValue stands for. TypeError for other objects, ValueError for a node
// of several values; `who` is in front.
[[nodiscard]] GraphValue& require_value(nanobind::handle object, std::string_view who);
// Any object as an argument: values of the graph inside of lists too.
[[nodiscard]] NodeArgument to_argument(nanobind::handle object);
// The arguments of a call as its schema has them. TypeError.
[[nodiscard]] std::vector<NodeArgument> bind_call(const Operator& op, const nanobind::tuple& args,
                                                  const nanobind::dict& kwargs);

}  // namespace opwright::python
