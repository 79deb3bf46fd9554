#include "bindings/interpreter/error.h"

#include <cstring>
#include <string>

#include <nanobind/nanobind.h>

#include "bindings/interpreter/exception_class.h"
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

}  // namespace

Error take_python_error() {
  PyObject* value = take_exception();
  if (!value) return Error("SystemError", "a function of Python failed without an exception");
  return Error(Py_TYPE(value)->tp_name, exception_text(value), &kPythonException, value,
               [](void* payload) { drop_reference(static_cast<PyObject*>(payload)); });
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
