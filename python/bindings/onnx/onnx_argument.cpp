#include "bindings/onnx/onnx_argument.h"

#include <string>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/scalar_types.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_type.h"
#include "bindings/onnx/onnx_value.h"
#include "opwright/error.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

using Kind = SymbolicValue::Kind;

struct Descriptor {
  const char* name;
  const char* meaning;
};
constexpr Descriptor kDescriptors[] = {
    {"v", "a value of the graph"},
    {"i", "an int"},
    {"f", "a float"},
    {"s", "a string"},
    {"b", "a bool"},
    {"t", "a tensor"},
    {"is", "a list of ints"},
    {"fs", "a list of floats"},
    {"none", "anything"},
};

const Descriptor* find_descriptor(const std::string& name) {
  for (const Descriptor& each : kDescriptors) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

// The descriptor that would match.
const char* descriptor_for(const nb::object& constant) {
  PyObject* object = constant.ptr();
  if (PyBool_Check(object)) return "b";
  if (PyUnicode_Check(object)) return "s";
  if (PyFloat_Check(object)) return "f";
  if (is_tensor(object)) return "t";
  if (!PyList_Check(object)) return "i";
  return PyList_GET_SIZE(object) > 0 && PyFloat_Check(PyList_GET_ITEM(object, 0)) ? "fs" : "is";
}

class Parser {
 public:
  Parser(const Descriptor& descriptor, const std::string& argument, const std::string& function)
      : descriptor_(descriptor), argument_(argument), function_(function) {}

  nb::object parse(const SymbolicValue& value) const {
    const std::string name = descriptor_.name;
    if (name == "t") {
      const Tensor data = constant_tensor(value);
      if (!data.is_defined()) fail(constant_of(value));
      return own(wrap(data));
    }
    const nb::object constant = constant_of(value);
    if (name == "is" || name == "fs") return list(constant, name[0]);
    return one(constant, name[0], constant);
  }

 private:
  nb::object constant_of(const SymbolicValue& value) const {
    if (value.kind == Kind::Constant) return value.constant;
    if (value.kind == Kind::Model) {
      if (const Tensor data = constant_tensor(value); data.is_defined())
        return own(wrap(data)).attr("tolist")();
    }
    throw_error("ValueError", "the symbolic ", function_, ": the argument '", argument_,
                "' is described by '", descriptor_.name, "' (", descriptor_.meaning,
                "), but it is computed when the model runs, ", to_text(type_of(value)),
                "\n  Describe it by 'v' and give it to g.op as an input.");
  }

  nb::object one(const nb::object& constant, char kind, const nb::object& whole) const {
    PyObject* object = constant.ptr();
    if (kind == 's') {
      if (!PyUnicode_Check(object)) {
        const bool has_text = Py_TYPE(object) == device_type;
        return has_text ? nb::object(nb::str(constant)) : fail(whole);
      }
      return constant;
    }
    if (Py_TYPE(object) == dtype_type && kind == 'i')
      return nb::int_(scalar_type_number(as_dtype(object)));
    const bool is_int = PyLong_Check(object);
    if (!is_int && !(PyFloat_Check(object) && kind == 'f')) return fail(whole);
    if (kind == 'i') return own(PyNumber_Long(object));
    if (kind == 'f') return own(PyNumber_Float(object));
    return nb::bool_(PyObject_IsTrue(object) == 1);
  }

  nb::object list(const nb::object& constant, char kind) const {
    nb::list read;
    if (!PyList_Check(constant.ptr())) {
      read.append(one(constant, kind, constant));
      return read;
    }
    for (const nb::handle each : constant) read.append(one(nb::borrow(each), kind, constant));
    return read;
  }

  nb::object fail(const nb::object& constant) const {
    throw_error("TypeError", "the symbolic ", function_, ": the argument '", argument_,
                "' is described by '", descriptor_.name, "' (", descriptor_.meaning,
                "), but it is ", class_name(constant.ptr()), " ",
                nb::cast<std::string>(nb::repr(constant)), "; describe it by '",
                descriptor_for(constant), "'");
  }

  const Descriptor& descriptor_;
  const std::string& argument_;
  const std::string& function_;
};

}  // namespace

void check_descriptor(const std::string& descriptor) {
  if (find_descriptor(descriptor)) return;
  std::string known;
  for (const Descriptor& each : kDescriptors)
    known += concatenate(known.empty() ? "" : ", ", "'", each.name, "'");
  throw_error("ValueError", "parse_args: there is no descriptor '", descriptor, "'; there are ",
              known);
}

nb::object parse_argument(nb::handle value, const std::string& descriptor,
                          const std::string& argument, const std::string& function) {
  check_descriptor(descriptor);
  if (descriptor == "v" || descriptor == "none") return nb::borrow(value);
  const SymbolicValue* symbolic = nullptr;
  if (!nb::try_cast(value, symbolic)) return nb::borrow(value);  // passed by another symbolic
  if (symbolic->kind == Kind::None) return nb::none();
  return Parser(*find_descriptor(descriptor), argument, function).parse(*symbolic);
}

void bind_onnx_argument(nb::module_& m) {
  m.def("check_onnx_descriptor", &check_descriptor, nb::arg("descriptor"));
  m.def("parse_onnx_argument", &parse_argument, nb::arg("value").none(), nb::arg("descriptor"),
        nb::arg("argument"), nb::arg("function"),
        "Convert an argument of a symbolic according to a descriptor of parse_args.");
}

}  // namespace opwright::python
