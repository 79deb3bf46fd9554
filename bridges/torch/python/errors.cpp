#include "bridges/torch/python/errors.h"

#include <string_view>

#include "bridges/torch/python/lock.h"
#include "opwright/registration/host_functions.h"
#include "python/bindings/interpreter/raised_exception.h"

namespace opwright::torch_bridge {
namespace {

PyObject* declined_class = nullptr;

constexpr char kPythonException = 0;  // its address marks a payload as a Python exception

// The builtin exception of that name, borrowed, or null.
PyObject* find_exception_class(const char* kind) noexcept {
  PyObject* found = PyDict_GetItemString(PyEval_GetBuiltins(), kind);
  return found && PyExceptionClass_Check(found) ? found : nullptr;
}

}  // namespace

Error take_python_error() {
  PyObject* value = raised_exception::take();
  if (!value) return Error("SystemError", "a function of Python failed without an exception");
  return Error(Py_TYPE(value)->tp_name, raised_exception::text_of(value), &kPythonException, value,
               [](void* payload) { drop_reference(static_cast<PyObject*>(payload)); });
}

void add_line_note(const char* file, uint32_t line) noexcept {
  PyObject* value = raised_exception::take();
  if (!value) return;
  PyObject* note = PyUnicode_FromFormat("required at %s:%u", file, line);
  PyErr_Clear();
  raised_exception::add_note(value, note);
  raised_exception::set(value);
}

void add_declined_class(PyObject* module) {
  declined_class = require(PyErr_NewExceptionWithDoc(
      "opwright._torch.Declined", "A function of a binary does not apply to a call.", nullptr,
      nullptr));
  require_no_error(PyModule_AddObjectRef(module, "Declined", declined_class));
}

void raise(const Error& error) noexcept {
  const OpwError* inner = error.get();
  if (inner->payload && inner->payload_type == &kPythonException) {
    auto* value = static_cast<PyObject*>(inner->payload);
    raised_exception::add_operator_notes(value, *inner);
    return raised_exception::set(Py_NewRef(value));
  }
  if (inner->kind == std::string_view(kDeclined) && declined_class)
    return PyErr_SetString(declined_class, inner->message);
  if (PyObject* found = find_exception_class(inner->kind))
    return PyErr_SetString(found, inner->message);
  PyErr_Format(PyExc_RuntimeError, "%s: %s", inner->kind, inner->message);
}

}  // namespace opwright::torch_bridge
