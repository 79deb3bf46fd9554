#include "bindings/onnx/onnx_graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/interpreter/source.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_attribute.h"
#include "bindings/onnx/onnx_value.h"
#include "opwright/convert/call_arguments.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/convert/onnx/model/opset.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using onnx::OnnxValue;
using onnx::OnnxValues;

constexpr const char* kOpDoc =
    "Add a node; return its output, or a tuple of outputs.\n\n"
    "The domain precedes `::`; the default is ONNX's own. Inputs are values, tensors, numbers, or\n"
    "None for an omitted one. The suffix of an attribute is its kind: `alpha_f=0.5`,\n"
    "`axes_i=[0, 1]`, `mode_s=\"linear\"`, `value_t=tensor`.";

// PyTorch writes ONNX's own domain as `onnx::`.
std::string_view plain_type(std::string_view type) {
  return type.starts_with("onnx::") ? type.substr(6) : type;
}

OnnxValues read_inputs(const SymbolicGraph& self, const std::string& who, const nb::args& inputs) {
  OnnxValues values;
  for (size_t i = 0; i < inputs.size(); ++i)
    values.push_back(read_input(self.of, inputs[i].ptr(), concatenate(who, ": input ", i)));
  return values;
}

int64_t read_outputs(const std::string& who, const nb::handle& outputs) {
  const bool is_int = PyLong_Check(outputs.ptr()) && !PyBool_Check(outputs.ptr());
  const int64_t count = is_int ? nb::cast<int64_t>(outputs) : 0;
  OPWRIGHT_CHECK_VALUE(count >= 1, who, ": outputs must be the number of the node's outputs, got ",
                       nb::cast<std::string>(nb::repr(outputs)));
  return count;
}

nb::object add_op(const SymbolicGraph& self, const std::string& type, const nb::args& inputs,
                  const nb::kwargs& keywords) {
  onnx::GraphBuilder& g = self.of->graph();
  const std::string who = concatenate("g.op(\"", type, "\")");
  int64_t num_outputs = 1;
  std::vector<onnx::Attribute> attributes;
  for (const auto [key, value] : keywords) {
    const auto name = nb::cast<std::string>(key);
    if (name == "outputs") {
      num_outputs = read_outputs(who, value);
    } else if (auto attribute = read_attribute(who, name, value.ptr())) {
      attributes.push_back(std::move(*attribute));
    }
  }
  const std::string_view plain = plain_type(type);
  // A constant whose number the helpers can read.
  if (plain == "Constant" && attributes.size() == 1 && attributes[0].name() == "value" &&
      attributes[0].kind() == onnx::Attribute::Kind::Tensor && inputs.size() == 0) {
    return symbolic_objects(self.of,
                            {g.constant(ValueOf<Tensor>::read(attributes[0].value().get()))});
  }
  const OnnxValues values = read_inputs(self, who, inputs);
  return symbolic_objects(
      self.of, g.op(plain, values, std::move(attributes), static_cast<size_t>(num_outputs)));
}

OnnxValue one_input(const SymbolicGraph& self, const nb::object& value, const char* who) {
  const OnnxValue read = read_input(self.of, value.ptr(), who);
  OPWRIGHT_CHECK_TYPE(read.is_there(), who, ": a value was expected, got None");
  return read;
}

using Axes = std::vector<int64_t>;

nb::object unsqueeze_symbolic(const SymbolicGraph& self, const nb::object& value,
                              const Axes& axes) {
  return symbolic_objects(
      self.of, {onnx::unsqueeze(self.of->graph(), one_input(self, value, "unsqueeze"), axes)});
}
nb::object squeeze(const SymbolicGraph& self, const nb::object& value, const Axes& axes) {
  return symbolic_objects(
      self.of, {onnx::squeeze(self.of->graph(), one_input(self, value, "squeeze"), axes)});
}
nb::object reduce_symbolic(const SymbolicGraph& self, const std::string& type,
                           const nb::object& value, const Axes& axes, bool keepdims) {
  return symbolic_objects(
      self.of,
      {onnx::reduce(self.of->graph(), type, one_input(self, value, "reduce"), axes, keepdims)});
}

std::string describe_call(const SymbolicGraph& self) { return name_call(self.of->call().node()); }

}  // namespace

void bind_onnx_graph(nb::module_& m) {
  nb::class_<SymbolicGraph>(m, "OnnxGraph", "The graph that a symbolic adds nodes to.")
      .def("op", &add_op, nb::arg("type"), nb::arg("inputs"), nb::arg("attributes"), kOpDoc)
      .def_prop_ro(
          "opset", [](const SymbolicGraph& self) { return self.of->graph().opset(); },
          "The opset of the model.")
      .def_prop_ro(
          "num_results", [](const SymbolicGraph& self) { return self.of->call().num_results(); },
          "The number of values that the symbolic must return.")
      .def_prop_ro(
          "operator_name", [](const SymbolicGraph& self) { return self.of->call().op(); },
          "The operator being converted.")
      .def("describe_call", &describe_call, "The operator and the user's line, for messages.")
      .def("unsqueeze", &unsqueeze_symbolic, nb::arg("value"), nb::arg("axes"),
           "The node in the form of the opset.")
      .def("squeeze", &squeeze, nb::arg("value"), nb::arg("axes"),
           "The node in the form of the opset.")
      .def("reduce", &reduce_symbolic, nb::arg("type"), nb::arg("value"), nb::arg("axes"),
           nb::arg("keepdims"), "ReduceSum, ReduceMax, ... in the form of the opset.")
      .def("__repr__", [](const SymbolicGraph& self) {
        return self.of->has_ended() ? "<graph of a symbolic that ended>"
                                    : concatenate("<graph of ", describe_call(self), ">");
      });
}

}  // namespace opwright::python
