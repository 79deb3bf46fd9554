#include "bindings/onnx/onnx_node.h"

#include <algorithm>
#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/value.h"
#include "opwright/convert/onnx/model/builder_state.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Kind = SymbolicValue::Kind;
using onnx::PendingNode;

// Null if no node computes it.
const PendingNode* find_node(const SymbolicNode& self) {
  if (self.value.kind != Kind::Model) return nullptr;
  onnx::GraphBuilder::State& state = self.value.of->graph().state();
  if (!state.at(self.value.value).is_output) return nullptr;
  for (onnx::BodyScope* body = state.scope; body; body = body->outer) {
    for (auto node = body->nodes.rbegin(); node != body->nodes.rend(); ++node) {
      if (std::ranges::find(node->outputs, self.value.value) != node->outputs.end()) return &*node;
    }
  }
  return nullptr;
}

bool has_constant(const SymbolicNode& self) { return constant_tensor(self.value).is_defined(); }

std::string symbolic_kind(const SymbolicNode& self) {
  if (const PendingNode* node = find_node(self))
    return concatenate(node->domain.empty() ? "onnx" : node->domain, "::", node->type);
  if (self.value.kind == Kind::List) return "prim::ListConstruct";
  if (self.value.kind == Kind::None) return "prim::Constant";
  return has_constant(self) || self.value.kind == Kind::Constant ? "onnx::Constant" : "prim::Param";
}

nb::list symbolic_values(const SymbolicNode& self, const onnx::OnnxValues& values) {
  nb::list list;
  for (const onnx::OnnxValue value : values) {
    const Kind kind = value.is_there() ? Kind::Model : Kind::None;
    list.append(symbolic_object({.of = self.value.of, .kind = kind, .value = value}));
  }
  return list;
}

nb::list symbolic_inputs(const SymbolicNode& self) {
  if (const PendingNode* node = find_node(self)) return symbolic_values(self, node->inputs);
  nb::list elements;
  for (const SymbolicValue& each : self.value.elements) elements.append(symbolic_object(each));
  return elements;
}

nb::list symbolic_outputs(const SymbolicNode& self) {
  if (const PendingNode* node = find_node(self)) return symbolic_values(self, node->outputs);
  nb::list one;
  one.append(symbolic_object(self.value));
  return one;
}

nb::list attribute_names(const SymbolicNode& self) {
  nb::list names;
  if (const PendingNode* node = find_node(self)) {
    for (const onnx::Attribute& each : node->attributes) names.append(each.name());
  } else if (has_constant(self)) {
    names.append("value");
  }
  return names;
}

nb::object attribute_of(const SymbolicNode& self, const std::string& name) {
  if (const PendingNode* node = find_node(self)) {
    for (const onnx::Attribute& each : node->attributes) {
      if (each.name() == name && each.kind() != onnx::Attribute::Kind::Graph)
        return own(to_python(each.value().get()));
    }
  } else if (const Tensor data = constant_tensor(self.value);
             data.is_defined() && name == "value") {
    return own(wrap(data));
  }
  throw_error("AttributeError", "the node ", symbolic_kind(self), " has no attribute '", name, "'");
}

nb::object value_at(const nb::list& values, nb::ssize_t index, const SymbolicNode& self,
                    const char* what) {
  OPWRIGHT_CHECK_INDEX(index >= 0 && index < static_cast<nb::ssize_t>(values.size()), "the node ",
                       symbolic_kind(self), " has ", values.size(), " ", what, "s, so none at ",
                       index);
  return values[static_cast<size_t>(index)];
}

}  // namespace

SymbolicNode node_of(const SymbolicValue& value) { return {value}; }

void bind_onnx_node(nb::module_& m) {
  nb::class_<SymbolicNode> node(m, "OnnxNode", "The node that computes a value of a model.");
  node.def("kind", &symbolic_kind, "\"onnx::Add\", \"prim::Param\" if no node computes it.")
      .def("inputs", &symbolic_inputs)
      .def("outputs", &symbolic_outputs)
      .def("inputsSize", [](const SymbolicNode& self) { return symbolic_inputs(self).size(); })
      .def("outputsSize", [](const SymbolicNode& self) { return symbolic_outputs(self).size(); })
      .def(
          "input",
          [](const SymbolicNode& self, nb::ssize_t index) {
            return value_at(symbolic_inputs(self), index, self, "input");
          },
          nb::arg("index") = 0)
      .def(
          "output",
          [](const SymbolicNode& self, nb::ssize_t index) {
            return value_at(symbolic_outputs(self), index, self, "output");
          },
          nb::arg("index") = 0)
      .def("mustBeNone", [](const SymbolicNode& self) { return self.value.kind == Kind::None; })
      .def("attributeNames", &attribute_names)
      .def(
          "hasAttribute",
          [](const SymbolicNode& self, const std::string& name) {
            const nb::list names = attribute_names(self);
            return PySequence_Contains(names.ptr(), nb::cast(name).ptr()) == 1;
          },
          nb::arg("name"))
      .def("__getitem__", &attribute_of, nb::arg("name"))
      .def("__repr__", &symbolic_kind);
  for (const char* kind : {"i", "f", "s", "t", "is_", "fs", "ss", "ts"})
    node.def(kind, &attribute_of, nb::arg("name"));
}

}  // namespace opwright::python
