#include "bindings/trace/graph_node.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_object.h"
#include "bindings/trace/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/node_text.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

const char* op_text(const Node& node) {
  switch (node.kind()) {
    case NodeKind::Input:
      return "placeholder";
    case NodeKind::Call:
      return "call_function";
    case NodeKind::Output:
      break;
  }
  return "output";
}

const char* role_text(const Node& node) {
  if (node.kind() != NodeKind::Input) return "";
  switch (node.role()) {
    case InputRole::Argument:
      return "argument";
    case InputRole::Captured:
      return "captured";
    case InputRole::Constant:
      return "constant";
    case InputRole::RandomState:
      break;
  }
  return "random_state";
}

std::string node_name(const Node& node) {
  if (!node.values().empty()) return node.values()[0].name();
  return node.kind() == NodeKind::Output ? "output" : node.op().schema().name.base;
}

nb::object target_of(const Node& node) {
  if (node.kind() == NodeKind::Call) return nb::borrow(operator_object(node.op().name()));
  return nb::cast(node_name(node));
}

nb::object site_object(SourceSite site) {
  return site.is_known() ? nb::object(nb::cast(site.text())) : nb::none();
}

// ---- Arguments ----

// Positional arguments up to the last one that is not a default; for the Output, one tuple.
nb::tuple args_of(const NodeObject& self) {
  const Node& node = self.node();
  nb::list args;
  if (node.kind() == NodeKind::Output) {
    for (const NodeArgument& output : node.args()) args.append(argument_object(self.graph, output));
    return nb::make_tuple(nb::tuple(args));
  }
  if (node.kind() == NodeKind::Input) return nb::tuple(args);
  const std::vector<Argument>& declared = node.op().schema().arguments;
  size_t count = 0;
  for (size_t i = 0; i < node.args().size(); ++i) {
    const bool by_name = i < declared.size() && declared[i].is_keyword_only;
    if (!by_name && (i >= declared.size() || !is_default(node.args()[i], declared[i]))) {
      count = i + 1;
    }
  }
  for (size_t i = 0; i < count; ++i) args.append(argument_object(self.graph, node.args()[i]));
  return nb::tuple(args);
}

nb::dict kwargs_of(const NodeObject& self) {
  const Node& node = self.node();
  nb::dict kwargs;
  if (node.kind() != NodeKind::Call) return kwargs;
  const std::vector<Argument>& declared = node.op().schema().arguments;
  for (size_t i = 0; i < node.args().size() && i < declared.size(); ++i) {
    if (!declared[i].is_keyword_only || is_default(node.args()[i], declared[i])) continue;
    kwargs[declared[i].name.c_str()] = argument_object(self.graph, node.args()[i]);
  }
  return kwargs;
}

void set_bound(const NodeObject& self, const nb::tuple& args, const nb::dict& kwargs) {
  Node& node = self.node();
  if (node.kind() == NodeKind::Output) {
    OPWRIGHT_CHECK_TYPE(args.size() == 1 && (nb::isinstance<nb::tuple>(args[0]) ||
                                             nb::isinstance<nb::list>(args[0])),
                        "graph: the args of the output are one tuple of what it returns");
    std::vector<NodeArgument> outputs;
    for (const nb::handle output : args[0]) outputs.push_back(to_argument(output));
    return self.graph->set_outputs(std::move(outputs));
  }
  OPWRIGHT_CHECK_VALUE(node.kind() == NodeKind::Call, "graph: the input %", node_name(node),
                       " has no arguments");
  self.graph->set_arguments(node, bind_call(node.op(), args, kwargs));
}

// ---- Values ----

nb::object meta_object(const GraphValue& value) {
  return nb::steal(require(to_python(value.meta().get())));
}

// The metadata of one value, or a list for several.
nb::object metadata_of(const Node& node) {
  if (node.values().size() == 1 && !node.results()[0].is_list) return meta_object(node.values()[0]);
  nb::list all;
  for (const GraphValue& value : node.values()) all.append(meta_object(value));
  return nb::tuple(all);
}

// Read-only, since a change would not reach the graph.
nb::object meta_of(const NodeObject& self) {
  const Node& node = self.node();
  nb::dict meta;
  if (!node.values().empty()) meta["val"] = metadata_of(node);
  meta["location"] = site_object(node.site());
  meta["module_path"] = node.module_path();
  return nb::steal(require(PyDictProxy_New(meta.ptr())));
}

// Each user once, in order, as the keys of a dict.
void add_users(nb::dict& users, const GraphPtr& graph, const GraphValue& value) {
  for (Node* user : value.users()) users[nb::cast(node_object(graph, *user))] = nb::none();
}

nb::dict users_of(const NodeObject& self) {
  nb::dict users;
  for (const GraphValue& value : self.node().values()) add_users(users, self.graph, value);
  return users;
}

std::vector<NodeObject> node_inputs(const NodeObject& self) {
  nb::dict seen;
  for (const NodeArgument& argument : self.node().args()) {
    argument.visit_values([&](const GraphValue& value) {
      seen[nb::cast(node_object(self.graph, value.node()))] = nb::none();
    });
  }
  std::vector<NodeObject> inputs;
  for (const auto [node, _] : seen) inputs.push_back(nb::cast<NodeObject>(node));
  return inputs;
}

nb::list results_of(const NodeObject& self) {
  Node& node = self.node();
  nb::list results;
  const auto value = [&](uint32_t index) { return nb::cast(NodeValueObject{self, index}); };
  for (const NodeResult& result : node.results()) {
    if (result.is_list) {
      nb::list list;
      for (uint32_t i = 0; i < result.count; ++i) list.append(value(result.first + i));
      results.append(list);
    } else {
      results.append(result.count == 0 ? nb::none() : nb::object(value(result.first)));
    }
  }
  return results;
}

nb::object neighbour(const NodeObject& self, Node* node) {
  return node ? nb::cast(node_object(self.graph, *node)) : nb::none();
}

// ---- Changes ----

void replace_all_uses(const NodeObject& self, const nb::object& with) {
  Node& node = self.node();
  const bool is_node = nb::isinstance<NodeObject>(with);
  Node* other = is_node ? &nb::inst_ptr<NodeObject>(with)->node() : nullptr;
  if (node.values().size() == 1 || !other) {
    GraphValue& from = require_value(nb::cast(self), "replace_all_uses_with");
    return self.graph->replace_uses(from, require_value(with, "replace_all_uses_with"));
  }
  OPWRIGHT_CHECK_VALUE(other->values().size() == node.values().size(), "replace_all_uses_with: '",
                       node_text(node), "' gives ", node.values().size(), " values, '",
                       node_text(*other), "' ", other->values().size());
  for (size_t i = 0; i < node.values().size(); ++i) {
    self.graph->replace_uses(node.values()[i], other->values()[i]);
  }
}

void replace_input(const NodeObject& self, const nb::object& old_input,
                   const nb::object& new_input) {
  Node& node = self.node();
  const GraphValue& from = require_value(old_input, "replace_input_with");
  GraphValue& to = require_value(new_input, "replace_input_with");
  std::vector<NodeArgument> args(node.args().begin(), node.args().end());
  for (NodeArgument& argument : args) argument.replace(from, to);
  self.graph->set_arguments(node, std::move(args));
}

void set_name(const NodeObject& self, const std::string& name) {
  self.graph->rename(require_value(nb::cast(self), "name"), name);
}

void set_value_meta(GraphValue& value, const nb::object& meta) {
  ValueMemory memory;
  value.node().graph().set_meta(value, Value::copy_of(memory.borrow(meta.ptr())));
}

bool operator==(const NodeObject& a, const NodeObject& b) { return a.place == b.place; }
bool operator==(const NodeValueObject& a, const NodeValueObject& b) {
  return a.owner == b.owner && a.index == b.index;
}
Py_hash_t hash_of(const NodeObject& node) {
  return static_cast<Py_hash_t>(reinterpret_cast<intptr_t>(node.place) >> 4);
}
Py_hash_t hash_of(const NodeValueObject& value) { return hash_of(value.owner) + value.index; }

template <class Object>
void bind_identity(nb::class_<Object>& binding) {
  binding
      .def("__repr__", [](const Object& self) { return nb::object(nb::cast(self).attr("name")); })
      .def(
          "__eq__", [](const Object& self, const Object& other) { return other == self; },
          nb::is_operator())
      .def("__hash__", [](const Object& self) { return hash_of(self); });
}

constexpr const char* kNodeDoc =
    "A node of a Graph: an input, a call of an operator, or the output.\n\n"
    ">>> import opwright as ow\n"
    ">>> graph = ow.Graph.parse(\n"
    "...     'graph(%x: float32[2]) -> (%y) { %y: float32[2] = aten::neg(%x) }'\n"
    "... )\n"
    ">>> [(node.op, node.name) for node in graph.nodes]\n"
    "[('placeholder', 'x'), ('call_function', 'y'), ('output', 'output')]\n"
    ">>> graph.nodes[1].args\n"
    "(x,)\n\n"
    "Using a node that was erased from its graph raises ValueError.";

void bind_node_reading(nb::class_<NodeObject>& node) {
  node.def_prop_ro(
          "op", [](const NodeObject& self) { return op_text(self.node()); },
          "'placeholder', 'call_function' or 'output'.")
      .def_prop_ro(
          "target", [](const NodeObject& self) { return target_of(self.node()); },
          "The Operator of a call, otherwise the name.")
      .def_prop_ro(
          "role", [](const NodeObject& self) { return role_text(self.node()); },
          "The role of an input: 'argument', 'captured', 'constant' or 'random_state'.")
      .def_prop_ro(
          "graph", [](const NodeObject& self) { return graph_object(self.graph); },
          "The node's graph.")
      .def_prop_ro("meta", &meta_of,
                   "A read-only dict: 'val' (fake tensors or ints), 'location', 'module_path'.")
      .def_prop_ro("users", &users_of, "The nodes that use its values, as the keys of a dict.")
      .def_prop_ro("all_input_nodes", &node_inputs, "The nodes whose values it uses, each once.")
      .def_prop_ro("results", &results_of,
                   "One entry for each result of the schema: a NodeValue, a list, or None.")
      .def_prop_ro(
          "next", [](const NodeObject& self) { return neighbour(self, self.node().next()); },
          "The next node, or None.")
      .def_prop_ro(
          "prev", [](const NodeObject& self) { return neighbour(self, self.node().previous()); },
          "The previous node, or None.")
      .def_prop_ro(
          "location", [](const NodeObject& self) { return site_object(self.node().site()); },
          "The user's file and line, or None.")
      .def_prop_ro(
          "module_path", [](const NodeObject& self) { return self.node().module_path(); },
          "The module that called it, such as 'layers.0'.")
      .def_prop_ro(
          "number",
          [](const NodeObject& self) -> std::optional<uint32_t> {
            const auto values = self.node().values();
            return values.empty() ? std::nullopt : std::optional(values.front().number());
          },
          "The number of its first value, which grows with the order of the calls; None without.")
      .def_prop_ro(
          "grad_mode", [](const NodeObject& self) { return self.node().grad_mode(); },
          "Whether gradients were recorded at the call.")
      .def_prop_ro(
          "is_erased", [](const NodeObject& self) { return self.place->is_erased(); },
          "Whether it was removed from its graph.")
      .def_prop_ro(
          "bound",
          [](const NodeObject& self) {
            const Tensor& bound = self.node().bound();
            return nb::steal(bound.is_defined() ? require(wrap(bound)) : Py_NewRef(Py_None));
          },
          "The tensor of a captured or constant input, or None.")
      .def(
          "format_node", [](const NodeObject& self) { return node_text(self.node()); },
          "The node's line in the text of the graph.");
}

void bind_node_changes(nb::class_<NodeObject>& node) {
  node.def_prop_rw(
          "name", [](const NodeObject& self) { return node_name(self.node()); }, &set_name,
          "The name of its value in the graph.")
      .def_prop_rw(
          "args", &args_of,
          [](const NodeObject& self, const nb::tuple& args) {
            set_bound(self, args, kwargs_of(self));
          },
          "The positional arguments: nodes, values, constants, lists.")
      .def_prop_rw(
          "kwargs", &kwargs_of,
          [](const NodeObject& self, const nb::dict& kwargs) {
            set_bound(self, args_of(self), kwargs);
          },
          "The keyword arguments.")
      .def("replace_all_uses_with", &replace_all_uses, nb::arg("replacement"),
           "Make all users use another node or value.")
      .def("replace_input_with", &replace_input, nb::arg("old_input"), nb::arg("new_input"),
           "Replace one input value with another.")
      .def(
          "set_val",
          [](const NodeObject& self, const nb::object& meta) {
            set_value_meta(require_value(nb::cast(self), "set_val"), meta);
          },
          nb::arg("val"), "Replace the metadata: a fake tensor or an int.")
      .def(
          "bind",
          [](const NodeObject& self, const nb::object& tensor) {
            OPWRIGHT_CHECK_TYPE(is_tensor(tensor.ptr()), "bind: expected a Tensor, got ",
                                class_name(tensor.ptr()));
            self.graph->bind_input(require_value(nb::cast(self), "bind"), handle_of(tensor.ptr()));
          },
          nb::arg("tensor"), "Set the tensor of a captured or constant input.");
}

constexpr const char* kNodeValueDoc =
    "One of the values that a Node computes.\n\n"
    ">>> import opwright as ow\n"
    ">>> traced = ow.make_fx(lambda x: ow.topk(x, 2), tracing_mode='fake')(ow.ones(5))\n"
    ">>> values, indices = traced.graph.nodes[1].results\n"
    ">>> indices.node, indices.index, indices.val.dtype\n"
    "(topk, 1, opwright.int64)\n";

void bind_value(nb::module_& m) {
  nb::class_<NodeValueObject> value(m, "NodeValue", kNodeValueDoc);
  value.def_prop_ro(
           "node", [](const NodeValueObject& self) { return self.owner; }, "Its node.")
      .def_ro("index", &NodeValueObject::index, "Its index among the node's values.")
      .def_prop_rw(
          "name", [](const NodeValueObject& self) { return self.value().name(); },
          [](const NodeValueObject& self, const std::string& name) {
            self.owner.graph->rename(self.value(), name);
          },
          "Its name in the graph.")
      .def_prop_ro(
          "val", [](const NodeValueObject& self) { return meta_object(self.value()); },
          "Its metadata: a fake tensor or an int.")
      .def(
          "set_val",
          [](const NodeValueObject& self, const nb::object& meta) {
            set_value_meta(self.value(), meta);
          },
          nb::arg("val"), "Replace the metadata.")
      .def_prop_ro(
          "users",
          [](const NodeValueObject& self) {
            nb::dict users;
            add_users(users, self.owner.graph, self.value());
            return users;
          },
          "The nodes that use it, as the keys of a dict.")
      .def(
          "replace_all_uses_with",
          [](const NodeValueObject& self, const nb::object& with) {
            self.owner.graph->replace_uses(self.value(),
                                           require_value(with, "replace_all_uses_with"));
          },
          nb::arg("replacement"), "Make all users use another node or value.");
  bind_identity(value);
}

}  // namespace

Node& NodeObject::node() const {
  OPWRIGHT_CHECK_VALUE(!place->is_erased(), "graph: the node was erased from its graph");
  return *place;
}

NodeObject node_object(const GraphPtr& graph, Node& node) { return {graph, &node}; }

nb::object value_object(const GraphPtr& graph, GraphValue& value) {
  const NodeObject owner = node_object(graph, value.node());
  const bool is_only = value.node().results().size() == 1 && !value.node().results()[0].is_list;
  if (is_only) return nb::cast(owner);
  return nb::cast(NodeValueObject{owner, value.index()});
}

void bind_graph_node(nb::module_& m) {
  nb::class_<NodeObject> node(m, "Node", kNodeDoc);
  bind_node_reading(node);
  bind_node_changes(node);
  bind_identity(node);
  bind_value(m);
}

}  // namespace opwright::python
