// The globals that a function's code names, including those of nested functions.
#pragma once

#include <vector>

#include <Python.h>
#include <nanobind/nanobind.h>

namespace opwright::python {

// Each name once, as a str. `code` is a code object.
[[nodiscard]] std::vector<nanobind::object> loaded_globals(PyObject* code);

}  // namespace opwright::python
