#include "bindings/onnx/onnx_model.h"

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

#include "bindings/export/program.h"
#include "opwright/convert/onnx/model/model.h"
#include "opwright/onnx_model/onnx_model.h"
#include "opwright/runtime/onnx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

onnx::Model make_model(const nb::object& program, int64_t opset,
                       std::vector<std::string> input_names, std::vector<std::string> output_names,
                       std::vector<std::string> functions,
                       std::vector<std::pair<std::string, int64_t>> domain_versions, Pairs metadata,
                       std::optional<bool> external_data, std::string doc) {
  return to_onnx_model(*program_of_object(program), {.opset = opset,
                                                     .input_names = std::move(input_names),
                                                     .output_names = std::move(output_names),
                                                     .functions = std::move(functions),
                                                     .domain_versions = std::move(domain_versions),
                                                     .metadata = std::move(metadata),
                                                     .external_data = external_data,
                                                     .doc = std::move(doc)});
}

std::vector<std::string> names_of(const std::vector<onnx::ValueInfo>& values) {
  std::vector<std::string> names;
  for (const onnx::ValueInfo& each : values) names.push_back(each.name);
  return names;
}

}  // namespace

void bind_onnx_model(nb::module_& m) {
  nb::class_<onnx::Model>(m, "OnnxModel", "A program as an ONNX model.")
      .def("save", &onnx::Model::save, nb::arg("path"))
      .def("bytes",
           [](const onnx::Model& self) {
             const std::string bytes = self.bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__str__", &onnx::Model::text)
      .def_prop_ro("input_names",
                   [](const onnx::Model& self) { return names_of(self.state().graph.inputs); })
      .def_prop_ro("output_names",
                   [](const onnx::Model& self) { return names_of(self.state().graph.outputs); });
  m.def("onnx_model", &make_model, nb::arg("program"), nb::arg("opset"), nb::arg("input_names"),
        nb::arg("output_names"), nb::arg("functions"), nb::arg("domain_versions"),
        nb::arg("metadata"), nb::arg("external_data").none(), nb::arg("doc"),
        "The model of a program.");
  m.def("onnx_input_name", &onnx_input_name, nb::arg("target"),
        "The name of an input, by its path in the call.");
  m.attr("oldest_onnx_opset") = onnx::kOldestOpset;
  m.attr("newest_onnx_opset") = onnx::kNewestOpset;
  m.attr("default_onnx_opset") = onnx::kDefaultOpset;
}

}  // namespace opwright::python
