// The Python class of an error's kind.
//
// PyTorch raises most errors of operators and tensors as RuntimeError. So an error of the core that
// has a more precise kind (ValueError, IndexError, ...) is raised as a class that derives from the
// builtin of this name and from RuntimeError: `except` clauses for either catch it. The class has
// the builtin's name, in tracebacks too, and its instances can be pickled.
#pragma once

#include <Python.h>

namespace opwright::python {

// The class for `kind`, borrowed: one of these, our own, or a builtin; null for an unknown kind.
// The GIL is held.
[[nodiscard]] PyObject* find_exception_class(const char* kind) noexcept;

// Creates the classes, and adds our own exceptions to the module.
void add_exceptions(PyObject* module);

}  // namespace opwright::python
