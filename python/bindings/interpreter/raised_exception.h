// The exception that Python has set, for code that carries it across a boundary. The GIL is held.
//
// Needs Python's headers and c_api.h only: the bridge of torch, which has an extension module of
// its own, includes it too.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::raised_exception {

// Takes the exception that is set, with its traceback; null if there is none.
[[nodiscard]] inline PyObject* take() noexcept {
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

// Sets an exception; takes over the reference.
inline void set(PyObject* value) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
  PyErr_SetRaisedException(value);
#else
  PyErr_Restore(Py_NewRef(reinterpret_cast<PyObject*>(Py_TYPE(value))), value,
                PyException_GetTraceback(value));
#endif
}

[[nodiscard]] inline std::string text_of(PyObject* value) {
  PyObject* text = PyObject_Str(value);
  const char* characters = text ? PyUnicode_AsUTF8(text) : nullptr;
  std::string result = characters ? characters : "(an exception without text)";
  Py_XDECREF(text);
  PyErr_Clear();
  return result;
}

// Adds a note, once: an exception that is raised again has it already. Takes over `note`, which may
// be null. Before Python 3.11 there are no notes.
inline void add_note(PyObject* value, PyObject* note) noexcept {
  PyObject* notes = PyObject_GetAttrString(value, "__notes__");
  PyErr_Clear();
  if (note && !(notes && PySequence_Contains(notes, note) == 1))
    Py_XDECREF(PyObject_CallMethod(value, "add_note", "O", note));
  PyErr_Clear();
  Py_XDECREF(notes);
  Py_XDECREF(note);
}

// Adds the operators that the exception passed.
inline void add_operator_notes(PyObject* value, const OpwError& error) noexcept {
  for (uint32_t i = 0; i < error.num_notes; ++i) {
    if (std::strcmp(error.notes[i].kind, "operator") == 0)
      add_note(value, PyUnicode_FromString(error.notes[i].text));
  }
}

}  // namespace opwright::raised_exception
