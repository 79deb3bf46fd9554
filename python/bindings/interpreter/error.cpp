#include "bindings/interpreter/error.h"

#include <cstring>
#include <string>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/lock.h"

namespace opwright::python {
namespace {

constexpr char kPythonException = 0;  // its address marks a payload as a Python exception

PyObject* take_exception() noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  return PyErr_GetRaisedException();
#else
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Py_XDECREF(traceback);
  Py_XDECREF(type);
  return value;
#endif
}

void set_exception(PyObject* value) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(Py_NewRef(value));
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), Py_NewRef(value),
                PyException_GetTraceback(value));
#endif
}

std::string exception_text(PyObject* value) {
  PyObject* text = PyObject_Str(value);
  const char* characters = text ? PyUnicode_AsUTF8(text) : nullptr;
  std::string result = characters ? characters : "(an exception without text)";
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

// Adds notes of the operators that the exception passed; an exception that is raised again has them
// already.
void add_notes(PyObject* value, const OpwError& error) noexcept {
  for (uint32_t i = 0; i < error.num_notes; ++i) {
    if (std::strcmp(error.notes[i].kind, "operator") != 0) continue;
    PyObject* note = PyUnicode_FromString(error.notes[i].text);
    PyObject* notes = PyObject_GetAttrString(value, "__notes__");
    PyErr_Clear();
    if (note && !(notes && PySequence_Contains(notes, note) == 1))
      Py_XDECREF(PyObject_CallMethod(value, "add_note", "O", note));
    PyErr_Clear();
    Py_XDECREF(notes);
    Py_XDECREF(note);
  }
}

// Our own exceptions, created with the module; kept permanently.
PyObject* graph_break_error = nullptr;

// The exception of that name, a builtin or our own, borrowed, or null.
PyObject* find_exception_class(const char* kind) noexcept {
  if (std::strcmp(kind, "GraphBreakError") == 0) return graph_break_error;
  PyObject* found = PyDict_GetItemString(PyEval_GetBuiltins(), kind);
  return found && PyExceptionClass_Check(found) ? found : nullptr;
}

}  // namespace

Error take_python_error() {
  PyObject* value = take_exception();
  if (!value) return Error("SystemError", "a function of Python failed without an exception");
  return Error(Py_TYPE(value)->tp_name, exception_text(value), &kPythonException, value,
               [](void* payload) { drop_reference(static_cast<PyObject*>(payload)); });
}

void add_exceptions(PyObject* module) {
  graph_break_error = PyErr_NewExceptionWithDoc(
      "opwright.GraphBreakError",
      "A function compiled with fullgraph=True does something that no graph can represent.\n\n"
      "The message names the line, the cause and the ways out.\n\n"
      ">>> import opwright as ow\n"
      ">>> @ow.compile(fullgraph=True, backend=\"plan\")\n"
      "... def f(x):\n"
      "...     return x if x.sum() > 0 else -x\n"
      ">>> try:\n"
      "...     f(ow.ones(2))\n"
      "... except ow.GraphBreakError:\n"
      "...     print(\"a branch on data\")\n"
      "a branch on data\n",
      PyExc_RuntimeError, nullptr);
  if (!graph_break_error ||
      PyModule_AddObjectRef(module, "GraphBreakError", graph_break_error) != 0)
    throw nanobind::python_error();
}

void raise(const Error& error) noexcept {
  const OpwError* inner = error.get();
  if (inner->payload && inner->payload_type == &kPythonException) {
    auto* value = static_cast<PyObject*>(inner->payload);
    add_notes(value, *inner);
    return set_exception(value);
  }
  if (PyObject* found = find_exception_class(inner->kind))
    return PyErr_SetString(found, inner->message);
  PyErr_Format(PyExc_RuntimeError, "%s: %s", inner->kind, inner->message);
}

void raise_current() noexcept {
  try {
    throw;
  } catch (nanobind::python_error& error) {
    error.restore();
  } catch (...) {
    raise(current_error());
  }
}

}  // namespace opwright::python
