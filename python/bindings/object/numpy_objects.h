// NumPy's objects, without its headers: NumPy is not imported until it is needed.
#pragma once

#include <Python.h>

namespace opwright::python {

// False for all objects while NumPy is not imported.
bool is_numpy_array(PyObject* object);
// A scalar of a number or bool class: numpy.float32(1), numpy.bool_(True).
bool is_numpy_number(PyObject* object);

// The module, imported if necessary; borrowed. ImportError.
PyObject* import_numpy();

}  // namespace opwright::python
