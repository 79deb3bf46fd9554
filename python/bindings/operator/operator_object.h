// opwright.Operator: one overload as a Python callable, a raw vectorcall type.
//
// There is one permanent object per name; it follows redefinitions of its name. A call binds its
// arguments with a plan made once per operator, without a dict or a tuple.
#pragma once

#include <string>
#include <string_view>

#include <Python.h>

#include "opwright/dispatch/operator.h"

namespace opwright::python {

void add_operator_type(PyObject* module);

// Borrowed; the operator need not be defined.
PyObject* operator_object(std::string_view name);

bool is_operator(PyObject* object) noexcept;
// The operator that has that name now. The AttributeError suggests similar names.
const Operator& require_operator(PyObject* object);
// Its `documentation` attribute, or empty.
std::string documentation_of(PyObject* object);

}  // namespace opwright::python
