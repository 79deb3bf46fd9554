// A call from Python: binds the arguments, releases the GIL where it pays, and converts the results
// to objects.
#pragma once

#include <span>

#include <Python.h>

#include "bindings/operator/binding_plan.h"

namespace opwright::python {

// Runs the operator on bound values. Returns a new reference, or null with the exception: None for
// no result, a tuple for several.
PyObject* run_bound(const BindingPlan& plan, const OpwValue* values) noexcept;

// Binds with the schema layer: chooses an overload, converts, raises an error for a mismatch.
// `is_bound` says whether the arguments fit, so that an error is one of the call.
PyObject* bind_and_run(std::span<const BindingPlan* const> overloads, const GivenArguments& given,
                       bool& is_bound) noexcept;

// A complete call of one operator.
PyObject* call_planned(const BindingPlan& plan, PyObject* const* objects, size_t num_positional,
                       PyObject* names) noexcept;

}  // namespace opwright::python
