// Text and attributes shared by Operator, OperatorPacket and the namespaces.
#pragma once

#include <string>
#include <vector>

#include <Python.h>

#include "bindings/interpreter/python_type.h"
#include "opwright/dispatch/operator.h"

namespace opwright::python {

// "opwright.ops.aten", a new reference.
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

}  // namespace opwright::python
