// Functions of the package that choose among operators by their arguments: nonzero, norm, unique.
#pragma once

#include <string_view>
#include <vector>

#include <Python.h>

namespace opwright::python {

// A new reference to the function of this name; null if operators of this name are the function.
PyObject* make_form_function(std::string_view name);
// All of them.
std::vector<std::string_view> form_function_names();

}  // namespace opwright::python
