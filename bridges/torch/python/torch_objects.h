// Names of torch that the object table needs, looked up once in opwright/torch/_objects.py.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"
#include "opwright/dtype.h"

namespace opwright::torch_bridge {

// All references are kept permanently.
struct TorchObjects {
  PyTypeObject* tensor = nullptr;
  PyTypeObject* parameter = nullptr;
  PyObject* sym_int = nullptr;
  PyObject* sym_bool = nullptr;
  PyObject* sym_float = nullptr;
  PyObject* dtype = nullptr;
  PyObject* device = nullptr;
  PyObject* layout = nullptr;
  PyObject* memory_format = nullptr;
  PyObject* generator = nullptr;
  PyObject* strided = nullptr;
  PyObject* memory_formats = nullptr;  // a tuple, by our number
  PyObject* dtypes = nullptr;          // a tuple, in the order of kDTypes
  PyObject* sym_max = nullptr;
  PyObject* sym_min = nullptr;
  PyObject* sym_not = nullptr;
  PyObject* guard_or_false = nullptr;
  PyObject* guard_or_true = nullptr;
  PyObject* check = nullptr;
  PyObject* has_memory = nullptr;          // of any tensor
  PyObject* is_wrapped = nullptr;          // by functorch
  PyObject* is_transforming = nullptr;     // a mode or a functorch level is active
  PyObject* samples = nullptr;             // tensors of different kinds with their addresses
  PyObject* under_inference = nullptr;     // calls a function under inference mode
  PyObject* tensors_of_handles = nullptr;  // takes ownership of the handles
  PyObject* handles_of_tensors = nullptr;
  PyObject* private_device_name = nullptr;
};

// Imports the names on first use; throws what the import raises. The GIL is held.
[[nodiscard]] const TorchObjects& torch_objects();

// Interned names of attributes.
struct AttributeNames {
  PyObject *shape, *stride, *storage_offset, *dtype, *device, *requires_grad, *data_ptr, *type,
      *index;
};
[[nodiscard]] const AttributeNames& attribute_names();

// Dtypes and devices. TypeError for one that has no counterpart on the other side.
[[nodiscard]] DType dtype_of_object(PyObject* dtype);
[[nodiscard]] PyObject* object_of_dtype(DType dtype);  // a new reference
[[nodiscard]] OpwDevice device_of_object(PyObject* device);
[[nodiscard]] PyObject* object_of_device(OpwDevice device);  // a new reference

}  // namespace opwright::torch_bridge
