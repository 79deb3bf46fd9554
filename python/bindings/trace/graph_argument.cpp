// Arguments of nodes as Python objects, and back.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/value.h"
#include "bindings/trace/graph_node.h"
#include "opwright/ir/graph/node_text.h"
#include "opwright/schema/coerce.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

bool is_value_of_a_graph(nb::handle object) {
  return nb::isinstance<NodeObject>(object) || nb::isinstance<NodeValueObject>(object);
}

bool is_list_or_tuple(nb::handle object) {
  return PyList_Check(object.ptr()) || PyTuple_Check(object.ptr());
}

bool holds_value_of_a_graph(nb::handle object) {
  if (!is_list_or_tuple(object)) return is_value_of_a_graph(object);
  for (const nb::handle element : object) {
    if (holds_value_of_a_graph(element)) return true;
  }
  return false;
}

// A constant converted to the schema's type.
NodeArgument coerce(const Operator& op, const Argument& declared, nb::handle given) {
  if (holds_value_of_a_graph(given)) return to_argument(given);
  ValueMemory memory;
  CoercionMemory coerced;
  Coercion coercion(coerced, declared.default_value);
  const OpwValue natural = memory.borrow(given.ptr());
  OpwValue result{};
  OPWRIGHT_CHECK_TYPE(natural.tag != kOpwTensor, op.name(), ": argument '", declared.name,
                      "' is a tensor; a graph takes tensors as nodes, so add it with add_input");
  OPWRIGHT_CHECK_TYPE(coercion.run(declared.type, natural, result) != Fit::No, op.name(),
                      ": argument '", declared.name, "' is ", declared.type, ", got ",
                      class_name(given.ptr()));
  return NodeArgument::constant(Value::copy_of(result));
}

}  // namespace

nb::object argument_object(const GraphPtr& graph, const NodeArgument& argument) {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      return nb::steal(require(to_python(argument.constant().get())));
    case NodeArgument::Kind::Value:
      return value_object(graph, argument.value());
    case NodeArgument::Kind::List:
      break;
  }
  nb::list list;
  for (const NodeArgument& element : argument.elements()) {
    list.append(argument_object(graph, element));
  }
  return list;
}

GraphValue& require_value(nb::handle object, std::string_view who) {
  if (nb::isinstance<NodeValueObject>(object)) {
    return nb::inst_ptr<NodeValueObject>(object)->value();
  }
  OPWRIGHT_CHECK_TYPE(nb::isinstance<NodeObject>(object), who, ": expected a Node, got ",
                      class_name(object.ptr()));
  Node& node = nb::inst_ptr<NodeObject>(object)->node();
  OPWRIGHT_CHECK_VALUE(node.values().size() == 1, who, ": '", node_text(node), "' gives ",
                       node.values().size(), " values; name one of them, e.g. node.results[0]");
  return node.values()[0];
}

NodeArgument to_argument(nb::handle object) {
  if (is_value_of_a_graph(object)) return NodeArgument::of(require_value(object, "graph"));
  if (is_list_or_tuple(object) && holds_value_of_a_graph(object)) {
    std::vector<NodeArgument> elements;
    for (const nb::handle element : object) elements.push_back(to_argument(element));
    return NodeArgument::list(std::move(elements));
  }
  ValueMemory memory;
  const OpwValue natural = memory.borrow(object.ptr());
  OPWRIGHT_CHECK_TYPE(natural.tag != kOpwTensor,
                      "graph: a tensor cannot be a constant of a graph; add it with add_input");
  return NodeArgument::constant(Value::copy_of(natural));
}

std::vector<NodeArgument> bind_call(const Operator& op, const nb::tuple& args,
                                    const nb::dict& kwargs) {
  const Schema& schema = op.schema();
  OPWRIGHT_CHECK_TYPE(args.size() <= schema.num_positional(), op.name(), " takes ",
                      schema.num_positional(), " arguments by position, got ", args.size());
  std::vector<std::optional<NodeArgument>> found(schema.arguments.size());
  for (size_t i = 0; i < args.size(); ++i) found[i] = coerce(op, schema.arguments[i], args[i]);
  for (const auto [key, value] : kwargs) {
    const auto name = nb::cast<std::string>(key);
    const auto index = schema.index_of(name);
    OPWRIGHT_CHECK_TYPE(index, op.name(), " has no argument '", name, "'");
    OPWRIGHT_CHECK_TYPE(!found[*index], op.name(), ": argument '", name, "' is given twice");
    found[*index] = coerce(op, schema.arguments[*index], value);
  }
  std::vector<NodeArgument> bound;
  for (size_t i = 0; i < found.size(); ++i) {
    const Argument& declared = schema.arguments[i];
    OPWRIGHT_CHECK_TYPE(found[i] || declared.default_value, op.name(), " is missing its argument '",
                        declared.name, "'");
    bound.push_back(found[i] ? std::move(*found[i])
                             : NodeArgument::constant(*declared.default_value));
  }
  return bound;
}

}  // namespace opwright::python
