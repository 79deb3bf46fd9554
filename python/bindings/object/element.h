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

// Python's part of numbers that an exported function reads from data (_number_from_data.py). The
// functions read a float or bool, tell whether a function is exported on this thread, make a tensor
// of symbolic numbers, and require a condition that an assert statement is about to test; the class
// is that of floats and bools from data.
struct NumbersFromData {
  PyObject* read = nullptr;
  PyObject* is_exporting = nullptr;
  PyObject* make_tensor = nullptr;
  PyObject* require_asserted = nullptr;
  PyObject* number_class = nullptr;
};
void set_numbers_from_data(const NumbersFromData& functions);
// Throws RuntimeError if a function that is exported reads the data of a tensor that its program
// holds as a parameter, buffer or constant: they may change before the program runs.
void refuse_state_of_export(const Tensor& tensor, const char* who);
// Whether a condition that cannot be decided now is that of an assert statement in a function that
// is exported; then the program requires it.
bool becomes_requirement(PyObject* condition);
// tensor(data, ...) for data with symbolic numbers in a function that is exported; null otherwise.
PyObject* make_symbolic_tensor(PyObject* data, PyObject* args, PyObject* kwargs);

// tensor_values.cpp: item, tolist, float(x), text.
void add_value_slots(TensorSlots& out);

}  // namespace opwright::python
