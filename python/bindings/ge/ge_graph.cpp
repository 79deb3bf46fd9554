#include "bindings/ge/ge_graph.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/source.h"
#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/value.h"
#include "bindings/operator/operator_object.h"
#include "bindings/trace/graph.h"
#include "opwright/convert/ge/attribute.h"
#include "opwright/convert/ge/graph_conversion.h"
#include "opwright/convert/ge/model.h"
#include "opwright/convert/ge/prototype.h"
#include "opwright/dispatch/registry.h"
#include "opwright/error.h"
#include "opwright/graph_engine/backend.h"
#include "opwright/graph_engine/engine.h"
#include "opwright/graph_engine/engine_program.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/schema/parser.h"
#include "opwright/value.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using graph_engine::EngineExecutablePtr;
using graph_engine::GeGraphPtr;
using graph_engine::GeOp;
using graph_engine::TensorDescriptor;

// Python's handle of a graph.
struct HeldGraph {
  GeGraphPtr graph;
};
struct HeldOp {
  GeGraphPtr graph;
  const GeOp* op;
};
struct HeldExecutable {
  EngineExecutablePtr executable;
};
// Unregistered when Python drops it.
class HeldPrototype {
 public:
  explicit HeldPrototype(std::vector<Registration> registrations)
      : registrations_(std::move(registrations)) {}
  HeldPrototype(HeldPrototype&&) = default;
  HeldPrototype(const HeldPrototype&) = delete;

 private:
  std::vector<Registration> registrations_;
};

GraphPtr require_traced_graph(const nb::handle& object) {
  GraphPtr graph = graph_of_object(object);
  OPWRIGHT_CHECK_TYPE(graph, "ge: a graph was expected, got ", class_name(object.ptr()));
  return graph;
}

HeldGraph convert_to_ge(const nb::object& graph, const std::string& name, bool holds_constants) {
  const auto program = graph_engine::make_engine_program(require_traced_graph(graph));
  return {graph_engine::convert_graph(program.graph,
                                      {.name = name, .holds_constants = holds_constants})};
}

nb::bytes to_python_bytes(const HeldGraph& self) {
  const std::string bytes = graph_engine::to_bytes(*self.graph);
  return nb::bytes(bytes.data(), bytes.size());
}

std::vector<HeldOp> ops_of(const HeldGraph& self) {
  std::vector<HeldOp> ops;
  for (const GeOp& op : self.graph->ops) ops.push_back({self.graph, &op});
  return ops;
}

std::vector<std::string> names_of_inputs(const HeldGraph& self) {
  std::vector<std::string> names;
  for (const uint32_t op : self.graph->inputs) names.push_back(self.graph->ops[op].name);
  return names;
}
std::vector<std::string> names_of_outputs(const HeldGraph& self) {
  std::vector<std::string> names;
  for (const auto& place : self.graph->outputs) {
    if (place.is_there()) names.push_back(graph_engine::to_text(*self.graph, place));
  }
  return names;
}

// (name, dtype, dims); None for unknown parts.
nb::list descriptors_of(const std::vector<TensorDescriptor>& descriptors) {
  nb::list all;
  for (const TensorDescriptor& each : descriptors) {
    all.append(nb::make_tuple(each.name, each.dtype ? own(to_python(*each.dtype)) : nb::none(),
                              each.dims ? nb::cast(*each.dims) : nb::none()));
  }
  return all;
}

nb::dict op_attributes(const HeldOp& self) {
  nb::dict attributes;
  for (const graph_engine::Attribute& each : self.op->attributes)
    attributes[each.name.c_str()] = own(to_python(each.value.get()));
  return attributes;
}

HeldExecutable build_graph(const nb::object& graph, std::string library,
                           graph_engine::EngineOptions options) {
  return {EngineExecutablePtr::take(new graph_engine::EngineExecutable(
      require_traced_graph(graph),
      {.library = std::move(library), .options = std::move(options)}))};
}

nb::object run_executable(const HeldExecutable& self, const nb::args& args) {
  std::vector<Value> given;
  for (const nb::handle each : args) given.push_back(Value::take(give_natural(each.ptr())));
  std::vector<OpwValue> lent;
  for (const Value& each : given) lent.push_back(each.get());
  std::vector<OpwValue> results(self.executable->num_results());
  {
    const UnlockScope unlock;
    self.executable->run(lent, results);
  }
  nb::list objects;
  for (const OpwValue& each : results) objects.append(own(take_to_python(each)));
  return nb::tuple(objects);
}

// ---- Prototypes ----

graph_engine::PrototypePtr require_prototype(const std::string& name) {
  graph_engine::PrototypePtr found = graph_engine::find_prototype(name);
  OPWRIGHT_CHECK_KIND("KeyError", found, "there is no prototype of '", name,
                      "'; ge.reg_op or REG_OP of opwright/ge.h makes one");
  return found;
}

void bind_prototypes(nb::module_& m) {
  nb::class_<HeldPrototype>(m, "GePrototypeRegistration", "A prototype that Python registered.");
  m.def(
      "ge_define_prototype",
      [](const std::string& text) {
        return HeldPrototype(
            graph_engine::define_prototype(graph_engine::parse_prototype(text), caller_site()));
      },
      nb::arg("text"));
  m.def(
      "ge_has_prototype",
      [](const std::string& name) { return graph_engine::find_prototype(name) != nullptr; },
      nb::arg("name"));
  m.def(
      "ge_prototype_text",
      [](const std::string& name) { return graph_engine::to_text(*require_prototype(name)); },
      nb::arg("name"));
  m.def(
      "ge_reg_op_text",
      [](const std::string& name) { return graph_engine::reg_op_text(*require_prototype(name)); },
      nb::arg("name"));
  m.def(
      "ge_prototype_name",
      [](const std::string& text) { return graph_engine::parse_prototype(text).name; },
      nb::arg("text"));
  m.def(
      "ge_prototype_of_schema",
      [](const std::string& schema, std::string name) {
        return graph_engine::to_text(
            graph_engine::prototype_from_schema(parse_schema(schema), std::move(name)));
      },
      nb::arg("schema"), nb::arg("name"));
}

}  // namespace

void bind_ge_graph(nb::module_& m) {
  nb::class_<HeldOp>(m, "GeOp", "An op of a graph of the engine GE.")
      .def_prop_ro("name", [](const HeldOp& self) { return self.op->name; })
      .def_prop_ro("type", [](const HeldOp& self) { return self.op->type; })
      .def_prop_ro("line", [](const HeldOp& self) { return self.op->line; })
      .def_prop_ro("attributes", &op_attributes)
      .def_prop_ro("inputs",
                   [](const HeldOp& self) {
                     std::vector<std::string> names;
                     for (const auto& place : self.op->inputs)
                       names.push_back(graph_engine::to_text(*self.graph, place));
                     return names;
                   })
      .def_prop_ro("input_descriptors",
                   [](const HeldOp& self) { return descriptors_of(self.op->input_descriptors); })
      .def_prop_ro("output_descriptors",
                   [](const HeldOp& self) { return descriptors_of(self.op->output_descriptors); })
      .def("__repr__", [](const HeldOp& self) {
        return concatenate("<ge op ", self.op->name, ": ", self.op->type, ">");
      });
  nb::class_<HeldGraph>(m, "GeGraph", "A graph of the engine GE.")
      .def_prop_ro("name", [](const HeldGraph& self) { return self.graph->name; })
      .def_prop_ro("ops", &ops_of)
      .def_prop_ro("input_names", &names_of_inputs)
      .def_prop_ro("output_names", &names_of_outputs)
      .def("serialize", &to_python_bytes)
      .def("__str__", [](const HeldGraph& self) { return graph_engine::to_text(*self.graph); });
  nb::class_<HeldExecutable>(m, "GeExecutable", "A graph that an engine has built.")
      .def("__call__", &run_executable)
      .def("describe",
           [](const HeldExecutable& self) { return self.executable->built().describe(); })
      .def_prop_ro("graph",
                   [](const HeldExecutable& self) { return HeldGraph{self.executable->graph()}; });
  m.def("ge_convert", &convert_to_ge, nb::arg("graph"), nb::arg("name"),
        nb::arg("holds_constants"));
  m.def("ge_build", &build_graph, nb::arg("graph"), nb::arg("library"), nb::arg("options"));
  bind_prototypes(m);
}

}  // namespace opwright::python
