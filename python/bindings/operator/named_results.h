// Results with names: max(x, 0).values, as the schema `-> (Tensor values, Tensor indices)` says.
//
// Functions of the package and methods of Tensor return a named tuple where PyTorch's do; the
// operators themselves (ops.aten.max.dim) return plain tuples.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Python.h>

#include "bindings/operator/binding_plan.h"

namespace opwright::python {

void add_named_results(PyObject* module);

// The names of the results of the first overload that has several, all with a name; empty if there
// is none.
std::vector<std::string> result_names(std::span<const BindingPlan* const> overloads);

// The items of `tuple`, which is taken over, in an instance of opwright.return_types.<base>. Null
// with the exception.
PyObject* name_results(PyObject* tuple, const std::string& base) noexcept;

}  // namespace opwright::python
