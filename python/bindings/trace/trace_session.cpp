#include "bindings/trace/trace_session.h"

#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/tensor_list.h"
#include "bindings/trace/graph.h"
#include "opwright/base/user_line.h"
#include "opwright/dispatch/registry.h"
#include "opwright/transforms/trace/data_access.h"
#include "opwright/transforms/trace/make_fx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

TracingMode parse_mode(const std::string& mode) {
  if (mode == "real") return TracingMode::Real;
  if (mode == "fake") return TracingMode::Fake;
  OPWRIGHT_CHECK_VALUE(mode == "symbolic",
                       "make_fx: tracing_mode must be 'real', 'fake' or 'symbolic', got '", mode,
                       "'");
  return TracingMode::Symbolic;
}

TraceSessionOptions read_trace_options(const std::string& mode, bool functional,
                                       bool keep_composites,
                                       const std::vector<std::string>& decompose,
                                       bool writes_gradients) {
  TraceSessionOptions options;
  options.mode = parse_mode(mode);
  options.functional = functional;
  options.writes_gradients = writes_gradients;
  options.trace.keeps_composites = keep_composites;
  for (const std::string& name : decompose) {
    options.trace.decompose.insert(&Registry::get().require(name));
  }
  return options;
}

GraphPtr require_graph(const nb::object& object) {
  GraphPtr graph = graph_of_object(object);
  OPWRIGHT_CHECK_TYPE(graph, "an opwright.Graph was expected, got ", class_name(object.ptr()));
  return graph;
}

nb::object run_trace(TraceSession& session, const nb::object& function, const nb::tuple& args,
                     const nb::dict& kwargs) {
  const InterpreterScope scope(session.level());
  return own(PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()));
}

nb::object finish_trace(TraceSession& session, const nb::list& outputs) {
  ValueMemory memory;
  std::vector<OpwValue> values;
  for (const nb::handle output : outputs) values.push_back(memory.borrow(output.ptr()));
  return graph_object(session.finish(values));
}

}  // namespace

void bind_trace_session(nb::module_& m) {
  nb::class_<TraceSession>(m, "TraceSession", "One run of a function that is traced.")
      .def(
          "__init__",
          [](TraceSession* self, const std::string& mode, bool functional, bool keep_composites,
             const std::vector<std::string>& decompose, bool writes_gradients) {
            new (self) TraceSession(
                read_trace_options(mode, functional, keep_composites, decompose, writes_gradients));
          },
          nb::arg("mode"), nb::arg("functional"), nb::arg("keep_composites"), nb::arg("decompose"),
          nb::arg("writes_gradients") = true)
      .def(
          "add_tensor",
          [](TraceSession& self, const nb::object& given, const std::string& name) {
            return nb::steal(require(wrap(self.add_tensor(handle_of(given.ptr()), name))));
          },
          nb::arg("given"), nb::arg("name"))
      .def(
          "add_int",
          [](TraceSession& self, int64_t given, const std::string& name) {
            return nb::steal(require(take_to_python(Value(self.add_int(given, name)).give())));
          },
          nb::arg("given"), nb::arg("name"))
      .def(
          "name_tensor",
          [](TraceSession& self, const nb::object& tensor, const std::string& name) {
            self.trace().name_tensor(handle_of(tensor.ptr()), name);
          },
          nb::arg("tensor"), nb::arg("name"), "Name a captured tensor in the graph.")
      .def(
          "enter",
          [](TraceSession& self, const nb::list& added) {
            return to_list(self.enter(tensors_of(added, "make_fx: what was added")));
          },
          nb::arg("added"))
      .def("run", &run_trace, nb::arg("function"), nb::arg("args"), nb::arg("kwargs"))
      .def("finish", &finish_trace, nb::arg("outputs"));
  m.def(
      "functionalize_graph",
      [](const nb::object& graph) { return graph_object(functionalize(*require_graph(graph))); },
      nb::arg("graph"));
  m.def(
      "decompose_graph",
      [](const nb::object& graph, const std::vector<std::string>& operators) {
        std::vector<const Operator*> found;
        for (const std::string& name : operators) found.push_back(&Registry::get().require(name));
        return graph_object(decompose(*require_graph(graph), found));
      },
      nb::arg("graph"), nb::arg("operators"));
  m.def("is_tracing", [] { return current_trace() != nullptr; });
  m.def("is_capturing", &may_trace_end, "Whether a compiled function is being captured.");
  m.def("end_trace", &end_trace, nb::arg("cause"),
        "Break the graph that is being captured, if any: the rest of the function runs eagerly.");
  m.def(
      "set_module_path", [](std::string path) { return set_module_path(std::move(path)); },
      nb::arg("path"), "Set the module of the next traced calls; returns the previous one.");
}

}  // namespace opwright::python
