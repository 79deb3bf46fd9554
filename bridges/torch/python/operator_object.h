// opwright._torch.Operator and Registration: an operator as the package registers it with torch.
#pragma once

#include <string>

#include <Python.h>

namespace opwright::torch_bridge {

// An operator of the core's registry, with the functions of its binary if it has one; restores one
// that was removed. A new reference; AttributeError for an unknown name.
[[nodiscard]] PyObject* make_operator(const std::string& name);

void add_operator_types(PyObject* module);

}  // namespace opwright::torch_bridge
