// NumPy's objects, known without its headers: nothing of NumPy is imported until it is asked for.
#pragma once

#include <Python.h>

namespace opwright::python {

// False for all objects while nobody has imported NumPy.
bool is_numpy_array(PyObject* object);
// A scalar of a number or bool class: numpy.float32(1), numpy.bool_(True).
bool is_numpy_number(PyObject* object);

// The module, imported when it is not there yet; borrowed. ImportError.
PyObject* import_numpy();

}  // namespace opwright::python
