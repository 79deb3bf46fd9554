// The name of an operator as Python sees it: a str that can also be called.
#pragma once

#include <string>

#include <Python.h>

namespace opwright::python {

void add_name_text_type(PyObject* module);

// A new reference. `op.name` and, as in PyTorch, `op.name()` are the same text.
PyObject* new_name_text(const std::string& name);

}  // namespace opwright::python
