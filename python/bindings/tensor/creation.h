// Tensors out of Python data: opwright.tensor, as_tensor, from_numpy, from_dlpack, frombuffer.
#pragma once

#include <Python.h>

#include "bindings/object/tensor_conversion.h"
#include "opwright/tensor.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

void bind_creation(nanobind::module_& m);

// A tensor with memory of its own, as opwright.tensor makes it from a tensor, an array, a buffer, a
// number or nested sequences. TypeError and ValueError start with `who`.
Tensor tensor_of_data(PyObject* data, const Conversion& conversion, const char* who);
// The same over the data's own memory where that is possible. A Tensor that needs no change is
// given back as the same handle.
Tensor tensor_over_data(PyObject* data, const Conversion& conversion, const char* who);

}  // namespace opwright::python
