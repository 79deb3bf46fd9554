// opwright.Node and opwright.NodeValue: handles of parts of a graph that know when they are erased.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "opwright/ir/graph/graph.h"

namespace opwright::python {

// A node and the graph that keeps it; an erased node remains an object whose use is an error.
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
// The node itself if this is its only value, otherwise a NodeValue.
[[nodiscard]] nanobind::object value_object(const GraphPtr& graph, GraphValue& value);
// A value of the graph as torch.fx represents it: Node or NodeValue, a constant, a list.
[[nodiscard]] nanobind::object argument_object(const GraphPtr& graph, const NodeArgument& argument);

// The value of a Node or NodeValue. TypeError for other objects, ValueError for a node with several
// values; both start with `who`.
[[nodiscard]] GraphValue& require_value(nanobind::handle object, std::string_view who);
// Any object as an argument, including lists with values of the graph.
[[nodiscard]] NodeArgument to_argument(nanobind::handle object);
// The arguments of a call in the schema's form. TypeError.
[[nodiscard]] std::vector<NodeArgument> bind_call(const Operator& op, const nanobind::tuple& args,
                                                  const nanobind::dict& kwargs);

}  // namespace opwright::python
