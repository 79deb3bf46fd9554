// Forms of a call that Python accepts besides the schema's: those of PyTorch's functions.
#pragma once

#include <span>

#include <Python.h>

#include "bindings/operator/binding_plan.h"

namespace opwright::python {

// Runs the first overload whose plan accepts the arguments as they are; false if none does.
bool run_exact(std::span<const BindingPlan* const> overloads, const GivenArguments& given,
               PyObject*& result);

// These return a new reference, or null with the exception; `overloads` is not empty.

// Also accepts a tensor of zero dimensions for a number, and a number for a tensor operand of a
// pointwise operator that computes with numbers: add(1, x).
PyObject* call_with_numbers(std::span<const BindingPlan* const> overloads,
                            const GivenArguments& given);
// Also accepts `zeros(2, 3)` for `zeros([2, 3])`, `broadcast_tensors(x, y)` for a list of tensors,
// NumPy's names of keywords (axis), `out=(values, indices)` for an overload that writes several
// arguments, and `requires_grad=` if the operator creates a tensor.
PyObject* call_in_any_form(std::span<const BindingPlan* const> overloads,
                           const GivenArguments& given);

}  // namespace opwright::python
