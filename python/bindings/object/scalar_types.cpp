#include "bindings/object/scalar_types.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/interpreter/error.h"
#include "bindings/object/value.h"
#include "opwright/base/suggest.h"
#include "opwright/base/thread_state.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/transforms/mode/default_device.h"

namespace nb = nanobind;

namespace opwright::python {

PyTypeObject* dtype_type = nullptr;
PyTypeObject* device_type = nullptr;
PyTypeObject* memory_format_type = nullptr;
PyTypeObject* layout_type = nullptr;

namespace {

// The Python classes, around enums and a struct of the core.
struct DTypeObject {
  DType value;
};
struct MemoryFormatObject {
  MemoryFormat value;
};
struct LayoutObject {
  Layout value;
};

constexpr const char* kMemoryFormats[] = {"contiguous_format", "preserve_format", "channels_last",
                                          "channels_last_3d"};

// The `with` blocks of devices that this thread is in, innermost last.
thread_local std::vector<std::unique_ptr<DefaultDevice>> entered_devices;

// One object for each value; this table owns them permanently.
PyObject* dtype_objects[std::size(kDTypes)];
PyObject* memory_format_objects[std::size(kMemoryFormats)];
PyObject* layout_object;

struct PythonType {
  const char* name;
  DType dtype;
};
constexpr PythonType kPythonTypes[] = {{"float", DType::Float64},
                                       {"int", DType::Int64},
                                       {"bool", DType::Bool},
                                       {"complex", DType::Complex128}};

struct Synonym {
  const char* name;
  DType dtype;
};
// PyTorch's second names.
constexpr Synonym kSynonyms[] = {{"half", DType::Float16},     {"float", DType::Float32},
                                 {"double", DType::Float64},   {"short", DType::Int16},
                                 {"int", DType::Int32},        {"long", DType::Int64},
                                 {"cfloat", DType::Complex64}, {"cdouble", DType::Complex128}};

DType find_dtype(std::string_view name) {
  for (const DTypeName& each : kDTypes) {
    if (name == each.name) return each.dtype;
  }
  std::vector<std::string> names;
  for (const DTypeName& each : kDTypes) names.emplace_back(each.name);
  const auto meant = closest(name, names);
  throw_error("TypeError", "there is no dtype '", name, "'",
              meant ? concatenate("; did you mean '", *meant, "'?") : "");
}

std::string device_repr(const Device& device) {
  const std::string text = device_text(device);
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return concatenate("device(type='", text, "')");
  return concatenate("device(type='", text.substr(0, colon), "', index=", text.substr(colon + 1),
                     ")");
}

Device make_device(nb::object type, std::optional<int32_t> index) {
  Device device = parse_device_object(type.ptr());
  if (index) {
    OPWRIGHT_CHECK_VALUE(device.index < 0 || nb::isinstance<Device>(type),
                         "device: the index was given twice, in '", nb::cast<std::string>(type),
                         "' and as ", *index);
    OPWRIGHT_CHECK_VALUE(*index >= 0, "device: the index must not be negative, got ", *index);
    device.index = *index;
  }
  return device;
}

void bind_dtype(nb::module_& m) {
  nb::class_<DTypeObject>(m, "dtype",
                          "The type of a tensor's elements.\n\n"
                          ">>> import opwright as ow\n"
                          ">>> ow.float32.itemsize, ow.float32.is_floating_point\n"
                          "(4, True)\n")
      .def(nb::new_([](const nb::object& given) {
             return nb::borrow(to_python(parse_dtype(given.ptr()))).release();
           }),
           nb::arg("dtype"))
      .def_prop_ro("name", [](const DTypeObject& self) { return concatenate(self.value); })
      .def_prop_ro("itemsize", [](const DTypeObject& self) { return item_size(self.value); })
      .def_prop_ro("is_floating_point",
                   [](const DTypeObject& self) { return is_floating(self.value); })
      .def_prop_ro("is_complex", [](const DTypeObject& self) { return is_complex(self.value); })
      .def_prop_ro("is_signed",
                   [](const DTypeObject& self) {
                     const uint8_t code = dtype_code(self.value);
                     return code != kOpwDtypeUInt && code != kOpwDtypeBool;
                   })
      .def("__reduce__",
           [](const DTypeObject& self) {
             return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(dtype_type)),
                                   nb::make_tuple(concatenate(self.value)));
           })
      .def("__repr__",
           [](const DTypeObject& self) { return concatenate("opwright.", self.value); });
  dtype_type = reinterpret_cast<PyTypeObject*>(nb::type<DTypeObject>().ptr());
  for (size_t i = 0; i < std::size(kDTypes); ++i) {
    dtype_objects[i] = nb::cast(DTypeObject{kDTypes[i].dtype}).release().ptr();
    m.attr(kDTypes[i].name) = nb::handle(dtype_objects[i]);
  }
}

void bind_device(nb::module_& m) {
  nb::class_<Device>(m, "device",
                     "The device of a tensor's memory.\n\n"
                     ">>> import opwright as ow\n"
                     ">>> ow.device(\"cuda\", 1)\n"
                     "device(type='cuda', index=1)\n"
                     ">>> ow.device(\"cpu\") == ow.ones(3).device\n"
                     "True\n"
                     ">>> with ow.device(\"meta\"):  # creates tensors on it\n"
                     "...     ow.ones(3).device\n"
                     "device(type='meta')\n")
      .def(
          "__init__",
          [](Device* self, nb::object type, std::optional<int32_t> index) {
            new (self) Device(make_device(std::move(type), index));
          },
          nb::arg("type"), nb::arg("index") = nb::none())
      .def_prop_ro("type",
                   [](const Device& self) {
                     const char* name = find_device_name(self.type);
                     return std::string(name ? name : "");
                   })
      .def_prop_ro("index",
                   [](const Device& self) -> std::optional<int32_t> {
                     if (self.index < 0 || has_one_device(self.type)) return std::nullopt;
                     return self.index;
                   })
      .def(
          "__eq__",
          [](const Device& self, const Device& other) {
            // The only CPU may be named with or without its index.
            return self == other || (self.type == other.type && has_one_device(self.type));
          },
          nb::is_operator())
      .def("__hash__",
           [](const Device& self) {
             return has_one_device(self.type) ? self.type * 64 : self.type * 64 + self.index + 1;
           })
      .def("__reduce__",
           [](const Device& self) {
             return nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(device_type)),
                                   nb::make_tuple(device_text(self)));
           })
      .def("__enter__",
           [](const nb::object& self) {
             entered_devices.push_back(std::make_unique<DefaultDevice>(nb::cast<Device>(self)));
             return self;
           })
      .def("__exit__",
           [](const Device&, const nb::args&) {
             OPWRIGHT_CHECK(
                 !entered_devices.empty() && thread_state().modes == entered_devices.back().get(),
                 "device: exit it on the thread that entered it, innermost first");
             entered_devices.pop_back();
           })
      .def("__str__", &device_text)
      .def("__repr__", &device_repr);
  device_type = reinterpret_cast<PyTypeObject*>(nb::type<Device>().ptr());
}

void bind_formats(nb::module_& m) {
  nb::class_<MemoryFormatObject>(m, "memory_format",
                                 "The order of a tensor's dimensions in memory.")
      .def("__reduce__",
           [](const MemoryFormatObject& self) {
             return nb::make_tuple(nb::module_::import_("builtins").attr("getattr"),
                                   nb::make_tuple(nb::module_::import_("opwright"),
                                                  kMemoryFormats[static_cast<size_t>(self.value)]));
           })
      .def("__repr__", [](const MemoryFormatObject& self) {
        return concatenate("opwright.", kMemoryFormats[static_cast<size_t>(self.value)]);
      });
  memory_format_type = reinterpret_cast<PyTypeObject*>(nb::type<MemoryFormatObject>().ptr());
  for (size_t i = 0; i < std::size(kMemoryFormats); ++i) {
    memory_format_objects[i] =
        nb::cast(MemoryFormatObject{static_cast<MemoryFormat>(i)}).release().ptr();
    m.attr(kMemoryFormats[i]) = nb::handle(memory_format_objects[i]);
  }
  nb::class_<LayoutObject>(m, "layout", "A tensor's layout; always strided.")
      .def("__reduce__",
           [](const LayoutObject&) {
             return nb::make_tuple(nb::module_::import_("builtins").attr("getattr"),
                                   nb::make_tuple(nb::module_::import_("opwright"), "strided"));
           })
      .def("__repr__", [](const LayoutObject&) { return "opwright.strided"; });
  layout_type = reinterpret_cast<PyTypeObject*>(nb::type<LayoutObject>().ptr());
  layout_object = nb::cast(LayoutObject{Layout::Strided}).release().ptr();
  m.attr("strided") = nb::handle(layout_object);
}

}  // namespace

void bind_scalar_types(nb::module_& m) {
  bind_dtype(m);
  bind_device(m);
  bind_formats(m);
  for (const Synonym& each : kSynonyms) m.attr(each.name) = nb::steal(to_python(each.dtype));
}

PyObject* to_python(DType dtype) {
  for (size_t i = 0; i < std::size(kDTypes); ++i) {
    if (kDTypes[i].dtype == dtype) return Py_NewRef(dtype_objects[i]);
  }
  throw_error("TypeError", "there is no Python object for ", dtype);
}

PyObject* to_python(Device device) { return nb::cast(device).release().ptr(); }

PyObject* to_python(MemoryFormat format) {
  return Py_NewRef(memory_format_objects[static_cast<size_t>(format)]);
}

PyObject* to_python(Layout /*layout*/) { return Py_NewRef(layout_object); }

DType as_dtype(PyObject* object) { return nb::inst_ptr<DTypeObject>(object)->value; }
Device as_device(PyObject* object) { return *nb::inst_ptr<Device>(object); }
MemoryFormat as_memory_format(PyObject* object) {
  return nb::inst_ptr<MemoryFormatObject>(object)->value;
}

DType parse_dtype(PyObject* object) {
  if (Py_TYPE(object) == dtype_type) return as_dtype(object);
  if (PyUnicode_Check(object)) return find_dtype(nb::cast<std::string>(nb::handle(object)));
  if (PyType_Check(object)) {
    for (const PythonType& each : kPythonTypes) {
      if (object == PyDict_GetItemString(PyEval_GetBuiltins(), each.name)) return each.dtype;
    }
  }
  // NumPy's dtypes, and its scalar types through them, have our names; torch.HalfTensor has a
  // dtype.
  if (PyType_Check(object) && PyObject_HasAttrString(object, "dtype")) {
    const nb::object dtype = nb::steal(PyObject_GetAttrString(object, "dtype"));
    if (dtype.is_valid() && Py_TYPE(dtype.ptr()) == dtype_type) return as_dtype(dtype.ptr());
    PyErr_Clear();
    const nb::object name = nb::steal(PyObject_GetAttrString(object, "__name__"));
    if (name.is_valid()) {
      std::string text = nb::cast<std::string>(name);
      if (text == "bool_") text = "bool";
      return find_dtype(text);
    }
    PyErr_Clear();
  }
  if (PyObject_HasAttrString(object, "name") && PyObject_HasAttrString(object, "itemsize")) {
    const nb::object name = nb::steal(PyObject_GetAttrString(object, "name"));
    if (name.is_valid() && PyUnicode_Check(name.ptr()))
      return find_dtype(nb::cast<std::string>(name));
    PyErr_Clear();
  }
  throw_error("TypeError", "expected a dtype such as opwright.float32, got ", class_name(object));
}

Device parse_device_object(PyObject* object) {
  if (Py_TYPE(object) == device_type) return as_device(object);
  if (PyUnicode_Check(object)) return parse_device(nb::cast<std::string>(nb::handle(object)));
  throw_error("TypeError", "expected a device or its name such as 'cuda:0', got ",
              class_name(object));
}

}  // namespace opwright::python
