// Calls from Python with tensors of another library: they go to a handler, which that library's
// bridge sets, instead of the binder.
//
// Calls with our own tensors pay nothing: an argument of a foreign type makes the plan reject the
// call first. Only a scope, in which calls without any tensor are foreign too, is checked on every
// call, with one load.
#pragma once

#include <cstdint>

#include <Python.h>

#include "bindings/operator/binding_plan.h"

namespace nanobind {
class module_;
}

namespace opwright::python {

// Scopes entered on any thread; under the GIL.
extern uint32_t num_foreign_scopes;
extern bool has_foreign_types;

// The handler of the foreign type of an argument, or of a list element. Borrowed; null if there is
// none.
PyObject* find_type_handler(const GivenArguments& given) noexcept;
inline PyObject* type_handler(const GivenArguments& given) noexcept {
  return has_foreign_types ? find_type_handler(given) : nullptr;
}

// The handler of this thread's innermost scope for a call without a tensor of ours, otherwise null.
// Call it when num_foreign_scopes is not 0.
PyObject* find_scope_handler(const GivenArguments& given) noexcept;
// On this thread.
bool is_in_foreign_scope() noexcept;

// Calls handler(callable, args, kwargs) outside every scope. A new reference, or null with the
// exception.
PyObject* call_foreign(PyObject* handler, PyObject* callable, const GivenArguments& given) noexcept;

// A Python function called by the core uses our tensors, wherever the call came from.
class [[nodiscard]] OwnCallScope {
 public:
  OwnCallScope() noexcept;
  OwnCallScope(const OwnCallScope&) = delete;
  OwnCallScope& operator=(const OwnCallScope&) = delete;
  ~OwnCallScope();

 private:
  PyObject* left_;  // the handler of the scope that was left, or null
};

void bind_foreign_call(nanobind::module_& m);

}  // namespace opwright::python
