// Conversion between handles of torch's stable C ABI and Python objects. The GIL is held.
#pragma once

#include <Python.h>

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

// The Python object of a borrowed handle: the existing one if the tensor has one. A new reference;
// throws what torch raises.
[[nodiscard]] PyObject* object_of_handle(AtenTensorHandle handle);
// A new handle of a tensor object.
[[nodiscard]] AtenTensorHandle new_handle_of_object(PyObject* tensor);

// The Python object of a generator over handles; a new reference.
[[nodiscard]] PyObject* object_of_generator(const OpwObject* generator);

}  // namespace opwright::torch_bridge
