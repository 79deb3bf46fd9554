// Copies of arguments for another graph: values are replaced, and sub-graphs are copied.
#pragma once

#include <span>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"

namespace opwright {

// `find` returns the GraphValue& of the other graph for a value of this one.
template <class Find>
[[nodiscard]] NodeArgument copy_argument(const NodeArgument& argument, const Find& find);

template <class Find>
[[nodiscard]] std::vector<NodeArgument> copy_arguments(std::span<const NodeArgument> arguments,
                                                       const Find& find) {
  std::vector<NodeArgument> copies;
  copies.reserve(arguments.size());
  for (const NodeArgument& argument : arguments) copies.push_back(copy_argument(argument, find));
  return copies;
}

template <class Find>
NodeArgument copy_argument(const NodeArgument& argument, const Find& find) {
  switch (argument.kind()) {
    case NodeArgument::Kind::Value:
      return NodeArgument::of(find(argument.value()));
    case NodeArgument::Kind::List:
      return NodeArgument::list(copy_arguments(argument.elements(), find));
    case NodeArgument::Kind::Constant:
      break;
  }
  const Value& constant = argument.constant();
  if (!is_graph(constant.get())) return argument;
  return NodeArgument::constant(graph_value(graph_of(constant.get())->copy()));
}

}  // namespace opwright
