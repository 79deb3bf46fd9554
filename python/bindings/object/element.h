// One element of a tensor as a Python number, and back.
#pragma once

#include <optional>

#include <Python.h>

#include "bindings/object/tensor_slots.h"
#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright::python {

// A new reference: bool, int, float or complex.
PyObject* read_element(const void* element, DType dtype);

// The dtype of a number: bool, int64, float32 and complex64 for Python's own, the dtype of a NumPy
// scalar or of a zero-dim tensor. Empty if `object` is not a number.
std::optional<DType> dtype_of_number(PyObject* object);

// Writes a number of those kinds. A float is truncated to an integer; any number is a bool.
// OverflowError for an integer that does not fit; TypeError for a complex number and a real dtype.
void write_element(void* element, DType dtype, PyObject* number);

// The only element as a number. RuntimeError, starting with `who`, unless there is exactly one and
// it can be read.
PyObject* read_single_element(const Tensor& tensor, const char* who);

// tensor_values.cpp: item, tolist, float(x), text.
void add_value_slots(TensorSlots& out);

}  // namespace opwright::python
