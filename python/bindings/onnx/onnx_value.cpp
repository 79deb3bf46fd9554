#include "bindings/onnx/onnx_value.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_node.h"
#include "bindings/tensor/creation.h"
#include "opwright/c_api.h"
#include "opwright/convert/onnx/model/call_state.h"
#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"
#include "opwright/schema/constant.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/value.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Kind = SymbolicValue::Kind;

SymbolicValue model_value(const SymbolicCallPtr& of, onnx::OnnxValue value) {
  if (!value.is_there()) return {.of = of};
  return {.of = of, .kind = Kind::Model, .value = value};
}

SymbolicValue constant_value(const SymbolicCallPtr& of, const OpwValue& constant) {
  if (constant.tag == kOpwNone) return {.of = of};
  if (constant.tag == kOpwSymInt) {
    const SymInt size = ValueOf<SymInt>::read(constant);
    if (size.is_symbolic()) return model_value(of, of->graph().size(size));
  }
  if (constant.tag == kOpwSymIntList) {
    SymbolicValue list{.of = of, .kind = Kind::List};
    bool is_plain = true;
    for (uint32_t i = 0; i < constant.length; ++i) {
      list.elements.push_back(constant_value(of, list_element(constant, i)));
      is_plain = is_plain && list.elements.back().kind == Kind::Constant;
    }
    if (!is_plain) return list;
  }
  return {.of = of, .kind = Kind::Constant, .constant = own(to_python(constant))};
}

const SymbolicValue* find_value(PyObject* object) {
  const SymbolicValue* value = nullptr;
  return nb::try_cast(nb::handle(object), value) ? value : nullptr;
}

// One value that holds a list of numbers, each of which may be computed.
onnx::OnnxValue join_elements(const SymbolicValue& list, const std::string& who) {
  onnx::GraphBuilder& g = list.of->graph();
  onnx::OnnxValues ones;
  const onnx::OnnxValue one = g.ints({1});
  for (const SymbolicValue& each : list.elements) {
    const nb::object object = symbolic_object(each);
    ones.push_back(g.op("Reshape", {read_input(list.of, object.ptr(), who), one}));
  }
  return ones.size() == 1 ? ones.front() : g.op("Concat", ones, {{"axis", 0}});
}

onnx::OnnxValue input_of(const SymbolicValue& value, const std::string& who) {
  switch (value.kind) {
    case Kind::Model:
      return value.value;
    case Kind::None:
      return {};
    case Kind::List: {
      const bool are_sizes = std::ranges::none_of(value.elements, [](const SymbolicValue& each) {
        const auto sizes = type_of(each).sizes;
        return each.kind != Kind::Constant && (!sizes || !sizes->empty());
      });
      OPWRIGHT_CHECK_TYPE(
          are_sizes, who,
          " is a list of tensors, which cannot be an input of a node\n  Give its elements: "
          "g.op(name, *symbolic_helper._unpack_list(value))");
      return join_elements(value, who);
    }
    case Kind::Constant:
      break;
  }
  return read_input(value.of, value.constant.ptr(), who);
}

std::string symbolic_value_text(const SymbolicValue& self) {
  if (self.of->has_ended()) return "<value of a symbolic that ended>";
  if (self.kind == Kind::Model)
    return concatenate("%", self.of->graph().name(self.value), ": ", to_text(type_of(self)));
  if (self.kind == Kind::None) return "None";
  if (self.kind == Kind::Constant) return nb::cast<std::string>(nb::repr(self.constant));
  std::string text;
  for (const SymbolicValue& each : self.elements)
    text += concatenate(text.empty() ? "" : ", ", symbolic_value_text(each));
  return concatenate("[", text, "]");
}

void set_type(const SymbolicValue& self, const SymbolicType& type) {
  if (self.kind == Kind::Model && type.dtype && type.sizes)
    self.of->graph().set_type(self.value, *type.dtype, *type.sizes);
}

// The number, string, tensor or list; None for a computed value.
nb::object symbolic_constant(const SymbolicValue& self) {
  if (self.kind == Kind::Constant) return self.constant;
  const Tensor data = constant_tensor(self);
  return data.is_defined() ? own(wrap(data)) : nb::none();
}

nb::object elements_of(const SymbolicValue& self) {
  nb::list elements;
  for (const SymbolicValue& each : self.elements) elements.append(symbolic_object(each));
  if (self.kind == Kind::Constant && PyList_Check(self.constant.ptr())) {
    for (const nb::handle each : self.constant)
      elements.append(
          symbolic_object({.of = self.of, .kind = Kind::Constant, .constant = nb::borrow(each)}));
  }
  return elements;
}

}  // namespace

onnx::GraphBuilder& SymbolicCall::graph() const {
  OPWRIGHT_CHECK(
      graph_,
      "a value or graph that a symbolic was given was used after the symbolic had ended; "
      "take it only inside");
  return *graph_;
}
const onnx::Call& SymbolicCall::call() const {
  (void)graph();
  return *call_;
}

SymbolicValue symbolic_argument(const SymbolicCallPtr& of, const NodeArgument& argument) {
  if (argument.kind() == NodeArgument::Kind::Constant)
    return constant_value(of, argument.constant().get());
  if (argument.kind() == NodeArgument::Kind::Value)
    return model_value(of, onnx::value_of(of->call().state(), argument));
  SymbolicValue list{.of = of, .kind = Kind::List};
  for (const NodeArgument& each : argument.elements())
    list.elements.push_back(symbolic_argument(of, each));
  return list;
}

nb::object symbolic_object(SymbolicValue value) { return nb::cast(std::move(value)); }

nb::object symbolic_objects(const SymbolicCallPtr& of, const onnx::OnnxValues& values) {
  if (values.size() == 1) return symbolic_object(model_value(of, values.front()));
  nb::list objects;
  for (const onnx::OnnxValue value : values)
    objects.append(symbolic_object(model_value(of, value)));
  return nb::tuple(objects);
}

onnx::OnnxValue read_input(const SymbolicCallPtr& of, PyObject* object, const std::string& who) {
  if (object == Py_None) return {};
  if (const SymbolicValue* value = find_value(object)) return input_of(*value, who);
  if (PyUnicode_Check(object) || Py_TYPE(object) == dtype_type)
    throw_error("TypeError", who, " is ", class_name(object),
                ", which cannot be an input of a node; give it as an attribute: name_s=...");
  if (is_sym_int(object)) return of->graph().size(*read_sym_int(object));
  return of->graph().constant(tensor_over_data(object, {}, who.c_str()));
}

Tensor constant_tensor(const SymbolicValue& value) {
  if (value.kind == Kind::Model) return value.of->graph().data(value.value);
  if (value.kind != Kind::Constant) return {};
  PyObject* constant = value.constant.ptr();
  if (PyUnicode_Check(constant) || Py_TYPE(constant) == dtype_type) return {};
  // A float becomes a double, like PyTorch's constants.
  Conversion conversion;
  if (PyFloat_Check(constant)) conversion.dtype = DType::Float64;
  return tensor_over_data(constant, conversion, "a constant");
}

SymbolicType type_of(const SymbolicValue& value) {
  if (value.kind == Kind::Model) {
    onnx::GraphBuilder& g = value.of->graph();
    return {.dtype = g.dtype(value.value), .sizes = g.shape(value.value)};
  }
  const Tensor data = constant_tensor(value);
  if (!data.is_defined()) return {};
  SymbolicType type{.dtype = data.dtype(), .sizes = std::vector<SymInt>()};
  for (int64_t i = 0; i < data.dim(); ++i) type.sizes->push_back(data.sym_size(i));
  return type;
}

void bind_onnx_value(nb::module_& m) {
  nb::class_<SymbolicValue>(m, "OnnxValue", "A value that a symbolic gets or creates.")
      .def("type", &type_of, "Its type as far as known: sizes, dtype.")
      .def("setType", &set_type, nb::arg("type"), "Sets the type if it is unknown.")
      .def("node", &node_of, "The node that computes it.")
      .def(
          "debugName",
          [](const SymbolicValue& self) {
            return self.kind == Kind::Model ? self.of->graph().name(self.value)
                                            : symbolic_value_text(self);
          },
          "Its name in the model.")
      .def("isCompleteTensor",
           [](const SymbolicValue& self) {
             const SymbolicType type = type_of(self);
             return type.dtype && type.sizes &&
                    std::ranges::none_of(*type.sizes,
                                         [](const SymInt& each) { return each.is_symbolic(); });
           })
      .def("toIValue", &symbolic_constant, "The number, string, tensor or list of a constant.")
      .def_prop_ro("is_constant",
                   [](const SymbolicValue& self) {
                     return self.kind == Kind::Constant || constant_tensor(self).is_defined();
                   })
      .def_prop_ro("is_none", [](const SymbolicValue& self) { return self.kind == Kind::None; })
      .def_prop_ro("is_list",
                   [](const SymbolicValue& self) {
                     return self.kind == Kind::List ||
                            (self.kind == Kind::Constant && PyList_Check(self.constant.ptr()));
                   })
      .def_prop_ro("elements", &elements_of, "The elements of a list.")
      .def(
          "__eq__",
          [](const SymbolicValue& self, const SymbolicValue& other) {
            return &other == &self || (self.kind == Kind::Model && other.kind == self.kind &&
                                       other.value == self.value);
          },
          nb::is_operator())
      .def("__hash__",
           [](const SymbolicValue& self) {
             return self.kind == Kind::Model ? self.value.index() + size_t{1}
                                             : reinterpret_cast<size_t>(self.constant.ptr());
           })
      .def("__repr__", &symbolic_value_text);
}

}  // namespace opwright::python
