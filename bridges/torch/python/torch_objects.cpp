#include "bridges/torch/python/torch_objects.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bridges/torch/python/errors.h"
#include "bridges/torch/python/reference.h"
#include "opwright/device.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {
namespace {

struct Name {
  const char* name;
  PyObject* TorchObjects::* place;
};
constexpr Name kNames[] = {
    {"SymInt", &TorchObjects::sym_int},
    {"SymBool", &TorchObjects::sym_bool},
    {"SymFloat", &TorchObjects::sym_float},
    {"dtype", &TorchObjects::dtype},
    {"device", &TorchObjects::device},
    {"layout", &TorchObjects::layout},
    {"memory_format", &TorchObjects::memory_format},
    {"Generator", &TorchObjects::generator},
    {"strided", &TorchObjects::strided},
    {"MEMORY_FORMATS", &TorchObjects::memory_formats},
    {"DTYPES", &TorchObjects::dtypes},
    {"sym_max", &TorchObjects::sym_max},
    {"sym_min", &TorchObjects::sym_min},
    {"sym_not", &TorchObjects::sym_not},
    {"guard_or_false", &TorchObjects::guard_or_false},
    {"guard_or_true", &TorchObjects::guard_or_true},
    {"check", &TorchObjects::check},
    {"has_memory", &TorchObjects::has_memory},
    {"is_wrapped", &TorchObjects::is_wrapped},
    {"is_transforming", &TorchObjects::is_transforming},
    {"samples", &TorchObjects::samples},
    {"under_inference", &TorchObjects::under_inference},
    {"tensors_of_handles", &TorchObjects::tensors_of_handles},
    {"handles_of_tensors", &TorchObjects::handles_of_tensors},
    {"private_device_name", &TorchObjects::private_device_name},
};

TorchObjects import_objects() {
  const Reference module = require_new(PyImport_ImportModule("opwright.torch._objects"));
  TorchObjects found;
  for (const Name& each : kNames)
    found.*each.place = require(PyObject_GetAttrString(module.get(), each.name));
  found.tensor =
      reinterpret_cast<PyTypeObject*>(require(PyObject_GetAttrString(module.get(), "Tensor")));
  found.parameter =
      reinterpret_cast<PyTypeObject*>(require(PyObject_GetAttrString(module.get(), "Parameter")));
  return found;
}

int32_t device_type_of_name(std::string_view name) {
  for (const DeviceName& entry : kDeviceNames) {
    if (name == entry.name) return entry.type;
  }
  const Reference renamed = require_new(PyObject_CallNoArgs(torch_objects().private_device_name));
  const char* text = PyUnicode_AsUTF8(renamed.get());
  if (text && name == text) return kOpwDevicePrivate;
  throw_error("TypeError", "torch's device type '", name, "' has no counterpart in Opwright");
}

std::string torch_name_of(int32_t type) {
  if (type == kOpwDeviceRocm) return "cuda";
  if (type == kOpwDevicePrivate) {
    const Reference renamed = require_new(PyObject_CallNoArgs(torch_objects().private_device_name));
    const char* text = PyUnicode_AsUTF8(renamed.get());
    if (!text) throw take_python_error();
    return text;
  }
  const char* name = device_name_or_null(type);
  if (!name) throw_error("TypeError", "torch has no device of type ", type);
  return name;
}

}  // namespace

const TorchObjects& torch_objects() {
  static const TorchObjects* objects = nullptr;  // not guarded: an import can release the GIL
  if (!objects) objects = new TorchObjects(import_objects());
  return *objects;
}

const AttributeNames& attribute_names() {
  const auto intern = [](const char* text) { return require(PyUnicode_InternFromString(text)); };
  static const AttributeNames names = {
      intern("shape"),    intern("stride"), intern("storage_offset"),
      intern("dtype"),    intern("device"), intern("requires_grad"),
      intern("data_ptr"), intern("type"),   intern("index")};
  return names;
}

DType dtype_of_object(PyObject* dtype) {
  PyObject* all = torch_objects().dtypes;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(all); ++i) {
    if (PyTuple_GET_ITEM(all, i) == dtype) return kDTypes[i].dtype;
  }
  const Reference text = require_new(PyObject_Str(dtype));
  throw_error("TypeError", "expected a dtype that Opwright knows, got ",
              PyUnicode_AsUTF8(text.get()));
}

PyObject* object_of_dtype(DType dtype) {
  for (size_t i = 0; i < std::size(kDTypes); ++i) {
    if (kDTypes[i].dtype == dtype)
      return Py_NewRef(PyTuple_GET_ITEM(torch_objects().dtypes, static_cast<Py_ssize_t>(i)));
  }
  throw_error("TypeError", "torch has no dtype for ", dtype);
}

OpwDevice device_of_object(PyObject* device) {
  Reference made;
  if (PyUnicode_Check(device)) {
    made = require_new(PyObject_CallOneArg(torch_objects().device, device));
    device = made.get();
  }
  if (PyObject_IsInstance(device, torch_objects().device) != 1)
    throw_error("TypeError", "expected a device, got ", Py_TYPE(device)->tp_name);
  const Reference type = require_new(PyObject_GetAttr(device, attribute_names().type));
  const Reference index = require_new(PyObject_GetAttr(device, attribute_names().index));
  const char* name = PyUnicode_AsUTF8(type.get());
  if (!name) throw take_python_error();
  OpwDevice result{device_type_of_name(name), -1};
  if (index.get() != Py_None) result.index = static_cast<int32_t>(PyLong_AsLong(index.get()));
  return result;
}

PyObject* object_of_device(OpwDevice device) {
  const std::string name = torch_name_of(device.type);
  if (device.index < 0 || has_one_device(device.type))
    return require(PyObject_CallFunction(torch_objects().device, "s", name.c_str()));
  return require(PyObject_CallFunction(torch_objects().device, "si", name.c_str(), device.index));
}

}  // namespace opwright::torch_bridge
