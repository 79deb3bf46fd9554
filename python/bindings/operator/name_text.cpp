#include "bindings/operator/name_text.h"

#include <nanobind/nanobind.h>
#include <structmember.h>

#include "bindings/interpreter/error.h"
#include "bindings/interpreter/python_type.h"
#include "bindings/object/method.h"

namespace opwright::python {
namespace {

// A str whose objects can have weak references, as caches of other libraries need.
struct NameTextObject {
  PyUnicodeObject text;
  PyObject* weakrefs;
};

PyObject* name_text_type = nullptr;

PyObject* call_name_text(PyObject* self, PyObject* args, PyObject* keywords) {
  if (PyTuple_GET_SIZE(args) != 0 || (keywords && PyDict_GET_SIZE(keywords) != 0)) {
    PyErr_SetString(PyExc_TypeError, "the name of an operator takes no arguments");
    return nullptr;
  }
  return PyUnicode_FromObject(self);
}

PyObject* reduce_name_text(PyObject* self, PyObject* /*unused*/) {
  return Py_BuildValue("O(N)", &PyUnicode_Type, PyUnicode_FromObject(self));
}

PyMemberDef name_text_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(NameTextObject, weakrefs), READONLY, nullptr}, {}};
PyMethodDef name_text_methods[] = {{"__reduce__", &reduce_name_text, METH_NOARGS, nullptr}, {}};
PyType_Slot name_text_slots[] = {
    {Py_tp_doc, const_cast<char*>("The name of an operator: `op.name`, or `op.name()`.")},
    {Py_tp_call, reinterpret_cast<void*>(call_name_text)},
    {Py_tp_methods, name_text_methods},
    {Py_tp_members, name_text_members},
    {0, nullptr}};
PyType_Spec name_text_spec = {"opwright.NameText", sizeof(NameTextObject), 0, Py_TPFLAGS_DEFAULT,
                              name_text_slots};

}  // namespace

void add_name_text_type(PyObject* module) {
  name_text_type = require(
      PyType_FromSpecWithBases(&name_text_spec, reinterpret_cast<PyObject*>(&PyUnicode_Type)));
  require_no_error(PyModule_AddObjectRef(module, "NameText", name_text_type));
}

PyObject* new_name_text(const std::string& name) {
  const nanobind::object text = own(new_text(name));
  return require(PyObject_CallOneArg(name_text_type, text.ptr()));
}

}  // namespace opwright::python
