// Errors across the language boundary: a Python exception enters the core as the payload of an
// Error and leaves it as the same object, with its traceback.
#pragma once

#include <Python.h>

#include "opwright/error.h"

namespace opwright::python {

// Takes the exception that is set; the GIL is held.
[[nodiscard]] Error take_python_error();
[[noreturn]] inline void throw_python_error() { throw take_python_error(); }

// Throws if `object` is null: for results of the C API.
inline PyObject* require(PyObject* object) {
  if (!object) [[unlikely]]
    throw_python_error();
  return object;
}
inline void require_no_error(int status) {
  if (status < 0) [[unlikely]]
    throw_python_error();
}

// Sets the exception of an Error: the original object, or one of the kind's class
// (exception_class.h). An unknown kind becomes a RuntimeError whose text starts with it.
void raise(const Error& error) noexcept;

// Sets the Python exception of the C++ exception that is being handled.
void raise_current() noexcept;

// Returns the result of `body`, or `failed` with the Python exception set.
template <class Body>
auto guarded(const Body& body, decltype(body()) failed = {}) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    raise_current();
    return failed;
  }
}

}  // namespace opwright::python
