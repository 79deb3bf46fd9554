// Backends of compile that are Python functions.
#pragma once

#include <string>

#include <Python.h>

#include "opwright/compile/backend/executable.h"

namespace opwright::python {

// A backend by name, or `object(graph_module, example_inputs)`, which returns a callable.
// ValueError, TypeError.
[[nodiscard]] Backend read_backend(PyObject* object);
// ValueError for a name that is taken, TypeError for an object that is not callable.
void register_python_backend(const std::string& name, PyObject* function);

}  // namespace opwright::python
