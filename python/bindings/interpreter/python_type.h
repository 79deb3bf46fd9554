// Types of our own and their plain attributes, by Python's C API.
#pragma once

#include <string>
#include <vector>

#include <Python.h>

namespace opwright::python {

// New references.
PyObject* new_text(const std::string& text);
PyObject* new_list(const std::vector<std::string>& texts);

// A function of the extension module, by name; a new reference.
PyObject* module_function(const char* name);

// Makes the type and adds it to the module under the last part of its name.
PyTypeObject* add_type(PyObject* module, PyType_Spec& spec);

}  // namespace opwright::python
