// Tensors from Python data: opwright.tensor, as_tensor, from_numpy, from_dlpack, frombuffer.
#pragma once

#include <Python.h>

#include "bindings/object/tensor_conversion.h"
#include "opwright/tensor.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_creation(nanobind::module_& m);

// A tensor with its own memory, made from a tensor, an array, a buffer, a number or nested
// sequences as opwright.tensor does. TypeError and ValueError start with `who`.
Tensor tensor_of_data(PyObject* data, const Conversion& conversion, const char* who);
// The same, sharing the data's memory if possible. A Tensor that needs no change is returned as the
// same handle.
Tensor tensor_over_data(PyObject* data, const Conversion& conversion, const char* who);

}  // namespace opwright::python
