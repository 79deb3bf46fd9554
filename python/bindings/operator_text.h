// Text and attributes shared by Operator, OperatorPacket and the namespaces.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include <Python.h>

#include "bindings/error.h"
#include "opwright/dispatch/operator.h"

namespace opwright::python {

// New references.
PyObject* new_text(const std::string& text);
PyObject* new_list(const std::vector<std::string>& texts);
// "opwright.ops.aten"
PyObject* module_name(const OperatorName& name);

// The schema, the author's documentation, and where it was defined.
std::string document(const Operator& op);

// The namespaces that have operators, sorted.
std::vector<std::string> list_namespaces();

// For objects of `Object`, which has the members `name` and `parsed`.
template <class Object, std::string OperatorName::* kPart>
PyObject* get_part(PyObject* object, void* /*unused*/) {
  return new_text(reinterpret_cast<Object*>(object)->parsed->*kPart);
}
template <class Object>
PyObject* get_name(PyObject* object, void* /*unused*/) {
  return new_text(*reinterpret_cast<Object*>(object)->name);
}
template <class Object>
PyObject* get_module(PyObject* object, void* /*unused*/) {
  return module_name(*reinterpret_cast<Object*>(object)->parsed);
}

// A function of the module by name; a new reference.
PyObject* module_function(const char* name);

// Creates the type and adds it to the module under the last part of its name.
PyTypeObject* add_type(PyObject* module, PyType_Spec& spec);

}  // namespace opwright::python
