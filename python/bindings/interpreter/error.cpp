#include "bindings/interpreter/error.h"

#include <nanobind/nanobind.h>

#include "bindings/interpreter/exception_class.h"
#include "bindings/interpreter/lock.h"
#include "bindings/interpreter/raised_exception.h"

namespace opwright::python {
namespace {

constexpr char kPythonException = 0;  // its address marks a payload as a Python exception

}  // namespace

Error take_python_error() {
  PyObject* value = raised_exception::take();
  if (!value) return Error("SystemError", "a function of Python failed without an exception");
  return Error(Py_TYPE(value)->tp_name, raised_exception::text_of(value), &kPythonException, value,
               [](void* payload) { drop_reference(static_cast<PyObject*>(payload)); });
}

void raise(const Error& error) noexcept {
  const OpwError* inner = error.get();
  if (inner->payload && inner->payload_type == &kPythonException) {
    auto* value = static_cast<PyObject*>(inner->payload);
    raised_exception::add_operator_notes(value, *inner);
    return raised_exception::set(Py_NewRef(value));
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
