// opwright.CompiledFunction: a Python callable that runs captured graphs.
//
// A raw type with a vectorcall. A call checks the guards of the entry that was used last, then of
// the others; if none holds, the function is captured again. Other attributes are those of the
// function or module.
#pragma once

#include <Python.h>

namespace nanobind {
class module_;
}

namespace opwright::python {

void add_compiled_function_type(PyObject* module);
void bind_compile(nanobind::module_& m);

// The callable of a CompiledFunction, borrowed; null for any other object.
PyObject* compiled_target(PyObject* object) noexcept;

}  // namespace opwright::python
