// Backends of compile that are Python functions.
#pragma once

#include <string>

#include <Python.h>

#include "opwright/compile/backend/executable.h"

namespace opwright::python {

// A backend by its name, or `object(graph_module, example_inputs)`, which gives a callable.
// ValueError, TypeError.
[[nodiscard]] Backend read_backend(PyObject* object);
// ValueError for a name that is taken, TypeError for what cannot be called.
void register_python_backend(const std::string& name, PyObject* function);

}  // namespace opwright::python
