// unique and unique_consecutive: they choose among operators, and return what is asked for.
#pragma once

#include <Python.h>

namespace opwright::python {

PyObject* unique_method(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* unique_function(PyObject* module, PyObject* args, PyObject* kwargs);
PyObject* unique_consecutive_method(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* unique_consecutive_function(PyObject* module, PyObject* args, PyObject* kwargs);

}  // namespace opwright::python
