#include "bindings/onnx/onnx_attribute.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "bindings/object/method.h"
#include "bindings/object/sym_int.h"
#include "bindings/object/tensor_object.h"
#include "bindings/object/value.h"
#include "bindings/onnx/onnx_value.h"
#include "bindings/tensor/creation.h"
#include "opwright/error.h"
#include "opwright/runtime/onnx.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace nb = nanobind;

namespace opwright::python {
namespace {

class Reader {
 public:
  Reader(const std::string& who, const std::string& given, std::string name, char suffix)
      : who_(who), given_(given), name_(std::move(name)), suffix_(suffix) {}

  onnx::Attribute read(PyObject* value) const {
    refuse_values(value);
    const bool is_list = PyList_Check(value) || PyTuple_Check(value);
    switch (suffix_) {
      case 'i':
        return is_list ? onnx::Attribute(name_, list<int64_t>(value, &Reader::integer))
                       : onnx::Attribute(name_, integer(value));
      case 'f':
        return is_list ? onnx::Attribute(name_, list<double>(value, &Reader::number))
                       : onnx::Attribute(name_, number(value));
      case 's':
        return is_list ? onnx::Attribute(name_, list<std::string>(value, &Reader::text))
                       : onnx::Attribute(name_, text(value));
      default:
        return tensors(value, is_list);
    }
  }

 private:
  template <class T>
  std::vector<T> list(PyObject* value, T (Reader::*read_one)(PyObject*) const) const {
    std::vector<T> read;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(value); ++i) {
      PyObject* each = PySequence_Fast_GET_ITEM(value, i);
      refuse_values(each);
      read.push_back((this->*read_one)(each));
    }
    return read;
  }

  int64_t integer(PyObject* value) const {
    if (is_sym_int(value) && SymInt::borrow(sym_word_of(value)).is_symbolic()) {
      throw_error("TypeError", who_, ": the attribute ", given_, " is ",
                  SymInt::borrow(sym_word_of(value)),
                  ", which changes from run to run; give it as an input of the node");
    }
    const nb::object item = item_of(value);
    if (PyFloat_Check(item.ptr()) || !PyIndex_Check(item.ptr())) fail(value, "an int");
    const nb::object index = own(PyNumber_Index(item.ptr()));
    const int64_t number = PyLong_AsLongLong(index.ptr());
    if (number == -1 && PyErr_Occurred()) throw_python_error();
    return number;
  }
  double number(PyObject* value) const {
    const nb::object item = item_of(value);
    if (!PyFloat_Check(item.ptr()) && !PyIndex_Check(item.ptr())) fail(value, "a float");
    const double number = PyFloat_AsDouble(item.ptr());
    if (number == -1.0 && PyErr_Occurred()) throw_python_error();
    return number;
  }
  std::string text(PyObject* value) const {
    if (!PyUnicode_Check(value)) fail(value, "a str");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(value, &size);
    if (!data) throw_python_error();
    return {data, static_cast<size_t>(size)};
  }
  onnx::Attribute tensors(PyObject* value, bool is_list) const {
    const bool has_tensors = is_list && PySequence_Fast_GET_SIZE(value) > 0 &&
                             is_tensor(PySequence_Fast_GET_ITEM(value, 0));
    return has_tensors ? onnx::Attribute(name_, list<Tensor>(value, &Reader::tensor))
                       : onnx::Attribute(name_, tensor(value));
  }
  Tensor tensor(PyObject* value) const {
    if (PyUnicode_Check(value)) fail(value, "a tensor");
    return tensor_over_data(value, {}, concatenate(who_, ": the attribute ", given_).c_str());
  }

  // The number in a tensor of one element; others unchanged.
  static nb::object item_of(PyObject* value) {
    const bool is_one = is_tensor(value) && handle_of(value).numel() == 1;
    return is_one ? nb::object(nb::handle(value).attr("item")()) : share(value);
  }
  void refuse_values(PyObject* value) const {
    OPWRIGHT_CHECK_TYPE(!nb::isinstance<SymbolicValue>(nb::handle(value)), who_, ": the attribute ",
                        given_,
                        " is a value of the graph; describe that argument in parse_args ('i', 'f', "
                        "'s', ...) to get its constant, or give it as an input of the node");
  }
  [[noreturn]] void fail(PyObject* value, const char* expected) const {
    throw_error("TypeError", who_, ": the attribute ", given_, " ends in _", suffix_,
                ", so it must be ", expected, " or a list of such, got ", class_name(value), " ",
                nb::cast<std::string>(nb::repr(nb::handle(value))));
  }

  const std::string& who_;
  const std::string& given_;
  std::string name_;
  char suffix_;
};

// The suffix for a value.
const char* suffix_for(PyObject* value) {
  PyObject* one = value;
  if ((PyList_Check(value) || PyTuple_Check(value)) && PySequence_Fast_GET_SIZE(value) > 0)
    one = PySequence_Fast_GET_ITEM(value, 0);
  if (is_tensor(one)) return "_t";
  if (PyUnicode_Check(one)) return "_s";
  return PyFloat_Check(one) ? "_f" : "_i";
}

}  // namespace

std::optional<onnx::Attribute> read_attribute(const std::string& who, const std::string& name,
                                              PyObject* value) {
  if (value == Py_None) return std::nullopt;
  const bool has_suffix = name.size() > 2 && name[name.size() - 2] == '_' &&
                          std::string("ifstz").find(name.back()) != std::string::npos;
  OPWRIGHT_CHECK_VALUE(has_suffix, who, ": the attribute '", name,
                       "' has no suffix for its kind; write ", name, suffix_for(value),
                       "=... (_i for ints, _f for floats, _s for strings, _t for tensors, and "
                       "lists of them)");
  return Reader(who, name, name.substr(0, name.size() - 2), name.back()).read(value);
}

}  // namespace opwright::python
