#include "bridges/torch/python/object_values.h"

#include <cstddef>
#include <cstdint>

#include "bridges/torch/python/argument_frame.h"
#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/object_tensor.h"
#include "bridges/torch/python/opaque_object.h"
#include "bridges/torch/python/reference.h"
#include "bridges/torch/python/sym_object.h"
#include "bridges/torch/python/torch_objects.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/runtime/bridge.h"
#include "opwright/value.h"

namespace opwright::torch_bridge {
namespace {

[[noreturn]] void throw_unfit(const ValueType& type, PyObject* object) {
  throw_error("TypeError", "expected ", type.text, ", got ", Py_TYPE(object)->tp_name);
}

OpwValue tensor_value(OpwTensor& tensor) {
  OpwValue value{};
  value.tag = kOpwTensor;
  value.as_tensor = &tensor;
  return value;
}

OpwValue float_value(double number) {
  OpwValue value{};
  value.tag = kOpwFloat;
  value.as_double = number;
  return value;
}

OpwValue list_value(OpwTag tag, size_t length, const void* elements) {
  if (length > UINT32_MAX)
    throw_error("OverflowError", "a list of ", length, " elements is too long");
  OpwValue value{};
  value.tag = tag;
  value.length = static_cast<uint32_t>(length);
  value.as_values = elements;
  return value;
}

// ---- Numbers ----

double double_of(PyObject* object) {
  const double number = PyFloat_AsDouble(object);
  if (number == -1.0 && PyErr_Occurred()) throw take_python_error();
  return number;
}

bool is_sym_float(PyObject* object) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object)) == torch_objects().sym_float;
}

OpwValue lend_float(PyObject* object, const ValueType& type) {
  if (PyFloat_CheckExact(object)) [[likely]]
    return float_value(PyFloat_AS_DOUBLE(object));
  if (!PyNumber_Check(object) || PyComplex_Check(object) || is_tensor(object))
    throw_unfit(type, object);
  return float_value(double_of(object));
}

OpwValue lend_int(PyObject* object, OpwTag tag, ArgumentFrame& frame) {
  const OpwSymWord word = frame.keep_word(word_of_object(object));
  return make_value(is_symbolic(word) ? kOpwSymInt : tag, word);
}

OpwValue lend_bool(PyObject* object, const ValueType& type) {
  if (!PyBool_Check(object) && !is_symbol(object) && !PyLong_Check(object))
    throw_unfit(type, object);
  const int is_true = PyObject_IsTrue(object);
  require_no_error(is_true);
  return make_value(kOpwBool, is_true);
}

OpwValue lend_complex(PyObject* object, ArgumentFrame& frame) {
  const Py_complex number = PyComplex_AsCComplex(object);
  if (number.real == -1.0 && PyErr_Occurred()) throw take_python_error();
  auto* parts = frame.allocate<double>(2);
  parts[0] = number.real;
  parts[1] = number.imag;
  return list_value(kOpwComplex, 2, parts);
}

OpwValue lend_scalar(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  if (PyFloat_Check(object) || is_sym_float(object)) return float_value(double_of(object));
  if (PyBool_Check(object)) return lend_bool(object, type);
  if (PyLong_Check(object) || is_symbol(object)) return lend_int(object, kOpwInt, frame);
  if (PyComplex_Check(object)) return lend_complex(object, frame);
  throw_unfit(type, object);
}

// ---- Names ----

OpwValue lend_string(PyObject* object, const ValueType& type) {
  if (!PyUnicode_Check(object)) throw_unfit(type, object);
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &length);
  if (!text) throw take_python_error();
  return list_value(kOpwString, static_cast<size_t>(length), text);
}

OpwValue lend_memory_format(PyObject* object, const ValueType& type) {
  PyObject* formats = torch_objects().memory_formats;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(formats); ++i) {
    if (PyTuple_GET_ITEM(formats, i) == object) return make_value(kOpwMemoryFormat, i);
  }
  throw_unfit(type, object);
}

OpwValue lend_device(PyObject* object) {
  OpwValue value{};
  value.tag = kOpwDeviceValue;
  value.as_device = device_of_object(object);
  return value;
}

OpwValue lend_generator(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  if (PyObject_IsInstance(object, torch_objects().generator) != 1) throw_unfit(type, object);
  OpwValue value{};
  value.tag = kOpwObject;
  value.as_object = frame.keep_object(make_opaque(object));
  return value;
}

// A value that is not a list; None was handled before.
OpwValue lend_one(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  switch (type.kind) {
    case ValueKind::Tensor:
      if (!is_tensor(object)) throw_unfit(type, object);
      return tensor_value(frame.show(object));
    case ValueKind::Int:
      return lend_int(object, kOpwInt, frame);
    case ValueKind::SymInt:
      return lend_int(object, kOpwSymInt, frame);
    case ValueKind::Float:
      return lend_float(object, type);
    case ValueKind::Bool:
      return lend_bool(object, type);
    case ValueKind::Complex:
      return lend_complex(object, frame);
    case ValueKind::Scalar:
      return lend_scalar(object, type, frame);
    case ValueKind::String:
      return lend_string(object, type);
    case ValueKind::DType:
      return make_value(kOpwDtype, static_cast<int64_t>(dtype_of_object(object)));
    case ValueKind::Device:
      return lend_device(object);
    case ValueKind::Layout:
      if (object != torch_objects().strided) throw_unfit(type, object);
      return make_value(kOpwLayout, 0);
    case ValueKind::MemoryFormat:
      return lend_memory_format(object, type);
    case ValueKind::Generator:
      return lend_generator(object, type, frame);
    case ValueKind::Any:
    case ValueKind::Other:
      break;
  }
  throw_error("TypeError", "torch cannot carry a ", type.text);
}

// ---- Lists ----

// The elements of a list or tuple; the frame keeps them if they had to be collected.
struct Elements {
  PyObject* const* items;
  size_t length;
};
Elements elements_of(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  if (!PyList_Check(object) && !PyTuple_Check(object)) {
    if (PyUnicode_Check(object) || is_tensor(object)) throw_unfit(type, object);
    Reference list = Reference::take(PySequence_List(object));
    PyErr_Clear();
    if (!list) throw_unfit(type, object);
    object = frame.keep(std::move(list));
  }
  return {PySequence_Fast_ITEMS(object), static_cast<size_t>(PySequence_Fast_GET_SIZE(object))};
}

OpwValue lend_ints(const Elements& elements, OpwTag tag, ArgumentFrame& frame) {
  auto* words = frame.allocate<int64_t>(elements.length);
  for (size_t i = 0; i < elements.length; ++i) {
    words[i] = frame.keep_word(word_of_object(elements.items[i]));
    if (is_symbolic(words[i])) tag = kOpwSymIntList;
  }
  return list_value(tag, elements.length, words);
}

OpwValue lend_floats(const Elements& elements, const ValueType& type, ArgumentFrame& frame) {
  auto* numbers = frame.allocate<double>(elements.length);
  for (size_t i = 0; i < elements.length; ++i)
    numbers[i] = lend_float(elements.items[i], type).as_double;
  return list_value(kOpwFloatList, elements.length, numbers);
}

OpwValue lend_bools(const Elements& elements, const ValueType& type, ArgumentFrame& frame) {
  auto* flags = frame.allocate<uint8_t>(elements.length);
  for (size_t i = 0; i < elements.length; ++i)
    flags[i] = static_cast<uint8_t>(lend_bool(elements.items[i], type).as_int);
  return list_value(kOpwBoolList, elements.length, flags);
}

OpwValue lend_tensors(const Elements& elements, const ValueType& type, ArgumentFrame& frame) {
  auto** tensors = frame.allocate<OpwTensor*>(elements.length);
  for (size_t i = 0; i < elements.length; ++i) {
    if (!is_tensor(elements.items[i])) throw_unfit(type, elements.items[i]);
    tensors[i] = &frame.show(elements.items[i]);
  }
  return list_value(kOpwTensorList, elements.length, static_cast<const void*>(tensors));
}

OpwValue lend_others(const Elements& elements, const ValueType& type, ArgumentFrame& frame) {
  auto* values = frame.allocate<OpwValue>(elements.length);
  for (size_t i = 0; i < elements.length; ++i) {
    PyObject* item = elements.items[i];
    values[i] =
        item == Py_None && type.has_optional_elements ? OpwValue{} : lend_one(item, type, frame);
  }
  return list_value(kOpwList, elements.length, values);
}

OpwValue lend_list(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  const Elements elements = elements_of(object, type, frame);
  if (!type.has_optional_elements) {
    if (type.kind == ValueKind::Tensor) return lend_tensors(elements, type, frame);
    if (type.kind == ValueKind::Int) return lend_ints(elements, kOpwIntList, frame);
    if (type.kind == ValueKind::SymInt) return lend_ints(elements, kOpwSymIntList, frame);
    if (type.kind == ValueKind::Float) return lend_floats(elements, type, frame);
    if (type.kind == ValueKind::Bool) return lend_bools(elements, type, frame);
  }
  return lend_others(elements, type, frame);
}

OpwValue lend_untyped_list(PyObject* object, ArgumentFrame& frame) {
  static const ValueType tensors{ValueKind::Tensor, false, true, false, "Tensor[]"};
  const Elements elements = elements_of(object, tensors, frame);
  bool all_tensors = elements.length > 0;
  for (size_t i = 0; i < elements.length; ++i)
    all_tensors = all_tensors && is_tensor(elements.items[i]);
  if (all_tensors) return lend_tensors(elements, tensors, frame);
  auto* values = frame.allocate<OpwValue>(elements.length);
  for (size_t i = 0; i < elements.length; ++i) values[i] = lend_untyped(elements.items[i], frame);
  return list_value(kOpwList, elements.length, values);
}

// ---- Back ----

template <class Make>
PyObject* make_list(uint32_t length, const Make& make) {
  Reference list = require_new(PyList_New(length));
  for (uint32_t i = 0; i < length; ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), require(make(i)));
  return list.give();
}

PyObject* object_of_tensor_or_none(const OpwTensor* tensor) {
  return tensor ? object_of_tensor(tensor) : Py_NewRef(Py_None);
}

PyObject* object_of_list(const OpwValue& value) {
  switch (value.tag) {
    case kOpwIntList:
    case kOpwSymIntList:
      return make_list(value.length, [&](uint32_t i) { return object_of_word(value.as_ints[i]); });
    case kOpwFloatList:
      return make_list(value.length,
                       [&](uint32_t i) { return PyFloat_FromDouble(value.as_doubles[i]); });
    case kOpwBoolList:
      return make_list(value.length,
                       [&](uint32_t i) { return PyBool_FromLong(value.as_bytes[i]); });
    case kOpwTensorList:
      return make_list(value.length,
                       [&](uint32_t i) { return object_of_tensor_or_none(value.as_tensors[i]); });
    default:
      return make_list(value.length, [&](uint32_t i) {
        return object_of_value(static_cast<const OpwValue*>(value.as_values)[i]);
      });
  }
}

}  // namespace

OpwValue lend_object(PyObject* object, const ValueType& type, ArgumentFrame& frame) {
  if (object == Py_None) {
    if (!type.is_optional) throw_unfit(type, object);
    return OpwValue{};
  }
  return type.is_list ? lend_list(object, type, frame) : lend_one(object, type, frame);
}

OpwValue lend_untyped(PyObject* object, ArgumentFrame& frame) {
  static const ValueType any{ValueKind::Scalar, true, false, false, "a value"};
  if (object == Py_None) return OpwValue{};
  if (is_tensor(object)) return tensor_value(frame.show(object));
  if (PyUnicode_Check(object)) return lend_string(object, any);
  if (PyList_Check(object) || PyTuple_Check(object)) return lend_untyped_list(object, frame);
  return lend_scalar(object, any, frame);
}

OpwValue give_object(PyObject* object, const ValueType& type) {
  ArgumentFrame frame;
  return copy_value(lend_object(object, type, frame));
}

PyObject* object_of_value(const OpwValue& value) {
  switch (value.tag) {
    case kOpwNone:
      return Py_NewRef(Py_None);
    case kOpwTensor:
      return object_of_tensor_or_none(value.as_tensor);
    case kOpwInt:
      return require(PyLong_FromLongLong(value.as_int));
    case kOpwSymInt:
      return object_of_word(value.as_int);
    case kOpwFloat:
      return require(PyFloat_FromDouble(value.as_double));
    case kOpwBool:
      return PyBool_FromLong(value.as_int != 0);
    case kOpwComplex:
      return require(PyComplex_FromDoubles(value.as_doubles[0], value.as_doubles[1]));
    case kOpwString:
      return require(PyUnicode_FromStringAndSize(value.as_string, value.length));
    case kOpwDtype:
      return object_of_dtype(static_cast<DType>(value.as_int));
    case kOpwDeviceValue:
      return object_of_device(value.as_device);
    case kOpwLayout:
      return Py_NewRef(torch_objects().strided);
    case kOpwMemoryFormat:
      return Py_NewRef(require(
          PyTuple_GetItem(torch_objects().memory_formats, static_cast<Py_ssize_t>(value.as_int))));
    case kOpwObject:
      return value.as_object ? object_of_opaque(value.as_object) : Py_NewRef(Py_None);
    case kOpwIntList:
    case kOpwSymIntList:
    case kOpwFloatList:
    case kOpwBoolList:
    case kOpwTensorList:
    case kOpwList:
      return object_of_list(value);
    default:
      throw_error("TypeError", "torch cannot carry ", tag_name(value.tag));
  }
}

}  // namespace opwright::torch_bridge
