// A call from Python: arguments bound, Python's lock given away where it pays, results made
// objects.
#pragma once

#include <span>

#include <Python.h>

#include "bindings/operator/binding_plan.h"

namespace opwright::python {

// Runs the operator on bound values. A new reference, or null with the exception: None for no
// result, a tuple for several.
PyObject* run_bound(const BindingPlan& plan, const OpwValue* values) noexcept;

// Binds by the schema layer: chooses among the overloads, converts, raises what does not fit.
PyObject* bind_and_run(std::span<const BindingPlan* const> overloads,
                       const GivenArguments& given) noexcept;

// The whole call of one operator.
PyObject* call_planned(const BindingPlan& plan, PyObject* const* objects, size_t num_positional,
                       PyObject* names) noexcept;

}  // namespace opwright::python
