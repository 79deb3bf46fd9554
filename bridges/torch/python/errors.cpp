#include "bridges/torch/python/errors.h"

#include <cstring>
#include <string>

#include "bridges/torch/python/lock.h"

namespace opwright::torch_bridge {
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

// Takes over the reference.
void set_exception(PyObject* value) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(value);
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), value,
                PyException_GetTraceback(value));
#endif
}

std::string exception_text(PyObject* value) {
  const Reference text = Reference::take(PyObject_Str(value));
  const char* characters = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  std::string result = characters ? characters : "(an exception without text)";
  PyErr_Clear();
  return result;
}

// Once: an exception that is raised again has it already. Before Python 3.11 there are no notes.
void add_note(PyObject* value, PyObject* note) noexcept {
  const Reference notes = Reference::take(PyObject_GetAttrString(value, "__notes__"));
  PyErr_Clear();
  if (note && !(notes && PySequence_Contains(notes.get(), note) == 1))
    Py_XDECREF(PyObject_CallMethod(value, "add_note", "O", note));
  PyErr_Clear();
}

// Adds the operators that the exception passed.
void add_operator_notes(PyObject* value, const OpwError& error) noexcept {
  for (uint32_t i = 0; i < error.num_notes; ++i) {
    if (std::strcmp(error.notes[i].kind, "operator") != 0) continue;
    const Reference note = Reference::take(PyUnicode_FromString(error.notes[i].text));
    add_note(value, note.get());
  }
}

// The builtin exception of that name, borrowed, or null.
PyObject* find_exception_class(const char* kind) noexcept {
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

void add_line_note(const char* file, uint32_t line) noexcept {
  PyObject* value = take_exception();
  if (!value) return;
  const Reference note = Reference::take(PyUnicode_FromFormat("asked at %s:%u", file, line));
  PyErr_Clear();
  add_note(value, note.get());
  set_exception(value);
}

void raise(const Error& error) noexcept {
  const OpwError* inner = error.get();
  if (inner->payload && inner->payload_type == &kPythonException) {
    auto* value = static_cast<PyObject*>(inner->payload);
    add_operator_notes(value, *inner);
    return set_exception(Py_NewRef(value));
  }
  if (PyObject* found = find_exception_class(inner->kind))
    return PyErr_SetString(found, inner->message);
  PyErr_Format(PyExc_RuntimeError, "%s: %s", inner->kind, inner->message);
}

}  // namespace opwright::torch_bridge
