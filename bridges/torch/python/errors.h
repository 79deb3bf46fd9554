// Errors across the boundary to Python: an exception enters an Error as its payload and leaves it
// as the same object, with its traceback.
#pragma once

#include <cstdint>

#include <Python.h>

#include "bridges/torch/given_error.h"
#include "bridges/torch/python/reference.h"
#include "opwright/error.h"

namespace opwright::torch_bridge {

// Takes the exception that is set; the GIL is held.
[[nodiscard]] Error take_python_error();

// Throws if `object` is null: for results of Python's C interface.
inline PyObject* require(PyObject* object) {
  if (!object) [[unlikely]]
    throw take_python_error();
  return object;
}
inline Reference require_new(PyObject* object) { return Reference::take(require(object)); }
inline void require_no_error(int status) {
  if (status < 0) [[unlikely]]
    throw take_python_error();
}

// Adds "required at file:line" to the exception that is set.
void add_line_note(const char* file, uint32_t line) noexcept;

// Adds the class Declined to the module: of errors of the kind kDeclined.
void add_declined_class(PyObject* module);

// Sets the exception of an Error: the original object, or one of the kind's class. An unknown kind
// becomes a RuntimeError whose text starts with it.
void raise(const Error& error) noexcept;

// Returns the result of `body`, or `failed` with the Python exception set.
template <class Body>
auto raising(const Body& body, decltype(body()) failed = {}) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    raise(current_error());
    return failed;
  }
}

// 0, or 1 with the error of `body` set: for functions of a table.
template <class Body>
int status_of(const Body& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return give_current_exception();
  }
}

}  // namespace opwright::torch_bridge
