#include "bindings/trace/graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/shape_env.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_object.h"
#include "bindings/trace/graph_node.h"
#include "opwright/dispatch/registry.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/ir/graph/text_check.h"
#include "opwright/ir/passes/common_subexpressions.h"
#include "opwright/ir/passes/dead_code.h"
#include "opwright/ir/passes/fold_constants.h"
#include "opwright/ir/text/python_code.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

// Python's handle; several objects may share one graph.
struct GraphHandle {
  GraphPtr graph;
};

nb::object optional_node(const GraphPtr& graph, Node* node) {
  return node ? nb::cast(node_object(graph, *node)) : nb::none();
}

// ---- Reading ----

std::vector<NodeObject> nodes_of(const GraphHandle& self) {
  std::vector<NodeObject> nodes;
  for (Node* node = self.graph->first(); node; node = node->next()) {
    nodes.push_back(node_object(self.graph, *node));
  }
  return nodes;
}

std::vector<NodeObject> graph_inputs(const GraphHandle& self) {
  std::vector<NodeObject> inputs;
  for (GraphValue* input : self.graph->inputs()) {
    inputs.push_back(node_object(self.graph, input->node()));
  }
  return inputs;
}

nb::tuple graph_outputs(const GraphHandle& self) {
  nb::list outputs;
  for (const NodeArgument& output : self.graph->outputs()) {
    outputs.append(argument_object(self.graph, output));
  }
  return nb::tuple(outputs);
}

nb::list find_nodes(const GraphHandle& self, const nb::object& op, const nb::object& target,
                    const nb::object& name) {
  nb::list found;
  for (const NodeObject& node : nodes_of(self)) {
    const nb::object object = nb::cast(node);
    const auto fits = [&](const char* attribute, const nb::object& wanted) {
      return wanted.is_none() || object.attr(attribute).equal(wanted);
    };
    if (fits("op", op) && fits("target", target) && fits("name", name)) found.append(object);
  }
  return found;
}

std::vector<Guard> guards_of(const GraphHandle& self) {
  if (!self.graph->shape_env()) return {};
  const auto guards = self.graph->shape_env()->guards();
  return {guards.begin(), guards.end()};
}

std::vector<Symbol> symbols_of(const GraphHandle& self) {
  if (!self.graph->shape_env()) return {};
  return self.graph->shape_env()->symbols();
}

nb::dict graph_attributes(const GraphHandle& self) {
  nb::dict attributes;
  for (const auto& [name, value] : python_attributes(*self.graph)) {
    attributes[name.c_str()] = nb::steal(require(to_python(value.get())));
  }
  return attributes;
}

// ---- Changing ----

const Operator& operator_of(const nb::object& op) {
  if (is_operator(op.ptr())) return require_operator(op.ptr());
  OPWRIGHT_CHECK_TYPE(
      nb::isinstance<nb::str>(op),
      "insert_call: op must be an Operator such as opwright.ops.aten.mm.default, or "
      "its name, got ",
      class_name(op.ptr()));
  std::string name = nb::cast<std::string>(op);
  if (name.ends_with(".default")) name.resize(name.size() - std::string(".default").size());
  return Registry::get().require(name);
}

Node* place_of(const GraphHandle& self, const nb::object& before, const nb::object& after) {
  OPWRIGHT_CHECK_VALUE(before.is_none() || after.is_none(),
                       "insert_call: give one of before and after, not both");
  const nb::object& given = before.is_none() ? after : before;
  if (given.is_none()) return nullptr;
  OPWRIGHT_CHECK_TYPE(nb::isinstance<NodeObject>(given), "insert_call: expected a Node, got ",
                      class_name(given.ptr()));
  Node& node = nb::inst_ptr<NodeObject>(given)->node();
  OPWRIGHT_CHECK_VALUE(&node.graph() == self.graph.get(),
                       "insert_call: the node is of another graph");
  if (&given == &before) return &node;
  Node* next = node.next();
  while (next && next->kind() == NodeKind::Input) next = next->next();
  return next;
}

NodeObject insert_call(const GraphHandle& self, const nb::object& op, const nb::tuple& args,
                       const nb::dict& kwargs, const nb::object& before, const nb::object& after,
                       const std::optional<std::string>& name) {
  const Operator& called = operator_of(op);
  CallDescription call{.op = &called,
                       .args = bind_call(called, args, kwargs),
                       .results = {},
                       .site = caller_site(),
                       .module_path = {}};
  Node* place = place_of(self, before, after);
  call.results = infer_results(*self.graph, called, call.args);
  if (name) call.names.push_back(*name);
  return node_object(self.graph, self.graph->insert_call(std::move(call), place));
}

NodeObject add_input(const GraphHandle& self, const std::string& name, const nb::object& val,
                     const std::string& role, const nb::object& bound) {
  constexpr std::pair<const char*, InputRole> kRoles[] = {{"argument", InputRole::Argument},
                                                          {"captured", InputRole::Captured},
                                                          {"constant", InputRole::Constant},
                                                          {"random_state", InputRole::RandomState}};
  for (const auto& [text, kind] : kRoles) {
    if (role != text) continue;
    ValueMemory memory;
    const Tensor tensor = is_tensor(bound.ptr()) ? handle_of(bound.ptr()) : Tensor();
    Value meta = Value::copy_of(memory.borrow(val.ptr()));
    GraphValue& input = self.graph->add_input(name, std::move(meta), kind, tensor, caller_site());
    return node_object(self.graph, input.node());
  }
  throw_error("ValueError",
              "add_input: role must be 'argument', 'captured', 'constant' or "
              "'random_state', got '",
              role, "'");
}

void set_outputs(const GraphHandle& self, const nb::args& given) {
  std::vector<NodeArgument> outputs;
  for (const nb::handle output : given) outputs.push_back(to_argument(output));
  self.graph->set_outputs(std::move(outputs));
}

// A `with` statement in which calls are inserted before a node.
class InsertionScope {
 public:
  InsertionScope(GraphPtr graph, Node* before) : graph_(std::move(graph)), before_(before) {}

  void enter() {
    previous_ = graph_->insertion_point();
    graph_->set_insertion_point(before_);
  }
  void leave() {
    const bool is_there = previous_ && !previous_->is_erased();
    graph_->set_insertion_point(is_there ? previous_ : nullptr);
  }

 private:
  GraphPtr graph_;
  Node* before_;
  Node* previous_ = nullptr;
};

InsertionScope inserting(const GraphHandle& self, const nb::object& before,
                         const nb::object& after) {
  return {self.graph, place_of(self, before, after)};
}

// ---- Running ----

nb::object run_graph(const GraphHandle& self, const nb::args& given) {
  ValueMemory memory;
  std::vector<OpwValue> arguments;
  for (const nb::handle argument : given) arguments.push_back(memory.borrow(argument.ptr()));
  std::vector<Value> outputs = evaluate(*self.graph, arguments);
  if (outputs.size() == 1) return nb::steal(require(take_to_python(outputs[0].give())));
  nb::list results;
  for (Value& output : outputs) results.append(nb::steal(require(take_to_python(output.give()))));
  return nb::tuple(results);
}

std::string print_readable(const GraphHandle& self, bool print_output) {
  std::string text = readable_code(*self.graph);
  if (print_output) nb::print(nb::cast(text));
  return text;
}

// ---- The class ----

constexpr const char* kGraphDoc =
    "A program as a list of operator calls: the result of tracing.\n\n"
    ">>> import opwright as ow\n"
    ">>> graph = ow.Graph.parse('''\n"
    "... graph(%x: float32[s0, 3]) -> (%y) {\n"
    "...   symbol s0 in [2, inf], hint 5, from x.size(0)\n"
    "...   %y: float32[s0, 3] = aten::neg(%x)  # model.py:12\n"
    "... }''')\n"
    ">>> graph(ow.ones(2, 3)).shape\n"
    "(2, 3)\n"
    ">>> with graph.inserting_before(graph.output_node):\n"
    "...     exp = graph.insert_call(ow.ops.aten.exp.default, (graph.nodes[1],))\n"
    ">>> graph.set_outputs(exp)\n"
    ">>> graph.lint()\n"
    ">>> exp.meta['val'].shape\n"
    "(s0, 3)\n\n"
    "`str(graph)` is its text, which `Graph.parse` parses to an equal graph. Call it with a value\n"
    "for each input: it checks the sizes and the guards and runs.";

void bind_graph_reading(nb::class_<GraphHandle>& graph) {
  graph.def_prop_ro("nodes", &nodes_of, "All nodes in execution order.")
      .def_prop_ro("inputs", &graph_inputs, "The input nodes.")
      .def_prop_ro("outputs", &graph_outputs, "The outputs: nodes, constants, lists.")
      .def_prop_ro(
          "output_node",
          [](const GraphHandle& self) { return optional_node(self.graph, self.graph->output()); },
          "The last node; None until there are outputs.")
      .def("find_nodes", &find_nodes, nb::kw_only(), nb::arg("op").none() = nb::none(),
           nb::arg("target").none() = nb::none(), nb::arg("name").none() = nb::none(),
           "The nodes with that op, target and name.")
      .def_prop_ro("symbols", &symbols_of, "The symbols in its sizes.")
      .def_prop_ro("guards", &guards_of, "The conditions on sizes under which it was traced.")
      .def_prop_ro(
          "shape_env",
          [](const GraphHandle& self) {
            const ShapeEnvPtr& env = self.graph->shape_env();
            return env ? shape_env_object(*env) : nb::none();
          },
          "The owner of the symbols; None for a graph without any.")
      .def_prop_ro(
          "code", [](const GraphHandle& self) { return python_code(*self.graph); },
          "A Python function `forward(self, ...)`; it reads `attributes` from self.")
      .def_prop_ro("attributes", &graph_attributes, "The tensors that `code` reads from self.")
      .def("print_readable", &print_readable, nb::arg("print_output") = true,
           "Print the code with types and lines; return it.")
      .def(
          "to_dot", [](const GraphHandle& self) { return to_dot(*self.graph); },
          "The graph in the language of graphviz.")
      .def(
          "draw",
          [](const GraphHandle& self, const nb::object& path) {
            nb::module_::import_("opwright.graph").attr("run_dot")(to_dot(*self.graph), path);
          },
          nb::arg("path"), "Write an image; the extension is the format. Needs graphviz's dot.")
      .def("__len__", [](const GraphHandle& self) { return self.graph->num_nodes(); })
      .def("__str__", [](const GraphHandle& self) { return to_text(*self.graph); })
      .def("__repr__", [](const GraphHandle& self) { return to_text(*self.graph); })
      .def(
          "__eq__",
          [](const GraphHandle& self, const GraphHandle& other) {
            return is_equal(*self.graph, *other.graph);
          },
          nb::is_operator())
      .def("__call__", &run_graph, "Check the inputs, then run.");
}

void bind_graph_changes(nb::class_<GraphHandle>& graph) {
  graph
      .def("add_input", &add_input, nb::arg("name"), nb::arg("val"), nb::kw_only(),
           nb::arg("role") = "argument", nb::arg("bound").none() = nb::none(),
           "Add an input after the others; `val` is a fake tensor or an int.")
      .def("insert_call", &insert_call, nb::arg("op"), nb::arg("args") = nb::tuple(),
           nb::arg("kwargs") = nb::dict(), nb::kw_only(), nb::arg("before").none() = nb::none(),
           nb::arg("after").none() = nb::none(), nb::arg("name").none() = nb::none(),
           "Add a call; its metadata comes from the operator's fake kernel.")
      .def(
          "inserting_before",
          [](const GraphHandle& self, const nb::object& node) {
            return inserting(self, node, nb::none());
          },
          nb::arg("node"), "In a `with`, insert calls before a node.")
      .def(
          "inserting_after",
          [](const GraphHandle& self, const nb::object& node) {
            return inserting(self, nb::none(), node);
          },
          nb::arg("node"), "In a `with`, insert calls after a node.")
      .def("set_outputs", &set_outputs, "Set the outputs: nodes, values, constants, lists.")
      .def(
          "erase_node",
          [](const GraphHandle& self, const NodeObject& node) { self.graph->erase(node.node()); },
          nb::arg("node"), "Remove an unused node; otherwise a ValueError names a user.")
      .def(
          "replace_all_uses",
          [](const GraphHandle& self, const nb::object& old_value, const nb::object& new_value) {
            self.graph->replace_uses(require_value(old_value, "replace_all_uses"),
                                     require_value(new_value, "replace_all_uses"));
          },
          nb::arg("old"), nb::arg("new"), "Replace a value everywhere.")
      .def(
          "move_before",
          [](const GraphHandle& self, const NodeObject& node, const NodeObject& before) {
            self.graph->move_before(node.node(), before.node());
          },
          nb::arg("node"), nb::arg("before"), "Move a node before another one.")
      .def(
          "lint", [](const GraphHandle& self) { verify(*self.graph); },
          "Raise ValueError for an invalid graph, naming the node and the fault.")
      .def(
          "copy", [](const GraphHandle& self) { return GraphHandle{self.graph->copy()}; },
          "Return an equal graph with its own nodes.")
      .def(
          "__deepcopy__",
          [](const GraphHandle& self, const nb::object& /*memo*/) {
            return GraphHandle{self.graph->copy()};
          },
          nb::arg("memo"))
      .def(
          "eliminate_dead_code",
          [](const GraphHandle& self) { return remove_dead_code(*self.graph); },
          "Remove unused nodes; return their number.")
      .def(
          "eliminate_common_subexpressions",
          [](const GraphHandle& self) { return share_common_subexpressions(*self.graph); },
          "Merge nodes that compute the same; return the number of removed nodes.")
      .def(
          "fold_constants",
          [](const GraphHandle& self, int64_t most_elements) {
            return fold_constants(*self.graph, most_elements);
          },
          nb::arg("most_elements") = 1 << 16, "Fold constants; return how many nodes it removed.");
}

}  // namespace

nb::object graph_object(GraphPtr graph) { return nb::cast(GraphHandle{std::move(graph)}); }

GraphPtr graph_of_object(nb::handle object) noexcept {
  if (!nb::isinstance<GraphHandle>(object)) return nullptr;
  return nb::inst_ptr<GraphHandle>(object)->graph;
}

void bind_graph(nb::module_& m) {
  set_graph_conversion(
      {.to_object = [](GraphPtr graph) { return graph_object(std::move(graph)).release().ptr(); },
       .from_object = [](PyObject* object) noexcept { return graph_of_object(object); }});
  nb::class_<InsertionScope>(m, "InsertionScope", "Inserts calls at a position in a graph.")
      .def("__enter__",
           [](InsertionScope& self) {
             self.enter();
             return nb::none();
           })
      .def("__exit__", [](InsertionScope& self, const nb::args&) { self.leave(); });
  bind_graph_node(m);
  nb::class_<GraphHandle> graph(m, "Graph", kGraphDoc);
  graph
      .def(
          "__init__",
          [](GraphHandle* self, const nb::object& shape_env) {
            ShapeEnvPtr env;
            if (!shape_env.is_none()) env = shape_env_of_object(shape_env, "Graph");
            new (self) GraphHandle{make_intrusive<Graph>(std::move(env))};
          },
          nb::arg("shape_env").none() = nb::none())
      .def_static(
          "parse", [](const std::string& text) { return GraphHandle{parse_graph(text)}; },
          nb::arg("text"), "Parse a graph; ValueError shows the line with the error underlined.");
  bind_graph_reading(graph);
  bind_graph_changes(graph);
  m.def("check_graph_texts", &set_checks_graph_texts, nb::arg("enabled"),
        "Compare every finished graph with its parsed text; for test suites.");
  m.def("take_graph_text_failures", &take_graph_text_failures);
  m.def("num_checked_graph_texts", &num_checked_graph_texts);
}

}  // namespace opwright::python
