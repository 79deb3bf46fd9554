#include "bindings/export/export_session.h"

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/export/program.h"
#include "bindings/object/element.h"
#include "bindings/object/method.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/tensor/tensor_list.h"
#include "opwright/convert/onnx/onnx_converter.h"
#include "opwright/dispatch/interpreter.h"
#include "opwright/program/export/export_session.h"
#include "opwright/program/export/signature.h"
#include "opwright/runtime/program.h"
#include "opwright/transforms/trace/trace.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

void add_state(ExportSession& session, std::string name, const nb::object& tensor,
               bool is_parameter, bool is_persistent) {
  session.add_state({std::move(name), handle_of(tensor.ptr())},
                    is_parameter ? InputKind::Parameter : InputKind::Buffer, is_persistent);
}

void add_tensor_input(ExportSession& session, const nb::object& given, const std::string& target,
                      const nb::dict& sizes) {
  std::vector<ExportSession::DimAt> dims;
  for (const auto [dim, size] : sizes) {
    dims.push_back({nb::cast<int64_t>(dim), *nb::inst_ptr<Dim>(size)});
  }
  session.add_tensor(handle_of(given.ptr()), target, dims);
}

nb::object add_int_input(ExportSession& session, int64_t given, const std::string& target,
                         const Dim& dim) {
  return own(take_to_python(Value(session.add_int(given, target, dim)).give()));
}

void add_constant(ExportSession& session, const nb::object& constant, const std::string& target) {
  session.add_constant(Value::take(give_natural(constant.ptr())), target);
}

nb::object run_export(ExportSession& session, const nb::object& function, const nb::tuple& args,
                      const nb::dict& kwargs) {
  const InterpreterScope scope(session.level());
  return own(PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()));
}

nb::object finish_export(ExportSession& session, const nb::list& outputs, std::string arguments,
                         std::string results) {
  ValueMemory memory;
  std::vector<OpwValue> values;
  for (const nb::handle output : outputs) values.push_back(memory.borrow(output.ptr()));
  return program_object(session.finish(values, {std::move(arguments), std::move(results)}));
}

}  // namespace

void bind_export_session(nb::module_& m) {
  m.def(
      "set_numbers_from_data",
      [](const nb::object& read, const nb::object& is_exporting, const nb::object& make_tensor,
         const nb::object& require_asserted, const nb::object& number_class) {
        set_numbers_from_data({.read = read.ptr(),
                               .is_exporting = is_exporting.ptr(),
                               .make_tensor = make_tensor.ptr(),
                               .require_asserted = require_asserted.ptr(),
                               .number_class = number_class.ptr()});
      },
      nb::arg("read"), nb::arg("is_exporting"), nb::arg("make_tensor"), nb::arg("require_asserted"),
      nb::arg("number_class"),
      "Set the functions for numbers that an exported function reads from data.");
  nb::class_<ExportSession>(m, "ExportSession", "One run of a function that is exported.")
      .def(
          "__init__",
          [](ExportSession* self, std::optional<int64_t> onnx_opset, bool keep_composites) {
            TraceOptions options = onnx_opset ? onnx::trace_options(*onnx_opset) : TraceOptions();
            options.keeps_composites = keep_composites;
            new (self) ExportSession(std::move(options));
          },
          nb::arg("onnx_opset") = nb::none(), nb::arg("keep_composites") = false,
          "`onnx_opset`: operators with a rule there are kept, others are decomposed.")
      .def("add_state", &add_state, nb::arg("name"), nb::arg("tensor"), nb::arg("is_parameter"),
           nb::arg("is_persistent"), "Add a parameter or buffer that the function closes over.")
      .def(
          "name_constant",
          [](ExportSession& self, const nb::object& tensor, const std::string& name) {
            self.name_constant(handle_of(tensor.ptr()), name);
          },
          nb::arg("tensor"), nb::arg("name"), "Name a tensor, in case the function uses it.")
      .def("add_tensor", &add_tensor_input, nb::arg("given"), nb::arg("target"), nb::arg("sizes"),
           "Add a tensor of the call; `sizes` has a Dim for each dimension that is not static.")
      .def("add_int", &add_int_input, nb::arg("given"), nb::arg("target"), nb::arg("dim"),
           "Add an int of the call; returns what the function gets.")
      .def("add_constant", &add_constant, nb::arg("constant").none(), nb::arg("target"),
           "Add any other argument of the call.")
      .def(
          "enter", [](ExportSession& self) { return to_list(self.enter()); },
          "Return the tensors as the function gets them.")
      .def(
          "note_value",
          [](ExportSession& self, const nb::object& tensor) {
            return self.note_value(handle_of(tensor.ptr()));
          },
          nb::arg("tensor"), "Note the value that a tensor has now; returns its index.")
      .def_prop_ro("noted_values", &ExportSession::noted_values,
                   "The names of the noted values in the graph, after finish.")
      .def_prop_ro("position", &ExportSession::position,
                   "Above the numbers of the nodes so far, and not above those of later ones.")
      .def("run", &run_export, nb::arg("function"), nb::arg("args"), nb::arg("kwargs"))
      .def("finish", &finish_export, nb::arg("outputs"), nb::arg("arguments"), nb::arg("results"));
}

}  // namespace opwright::python
