// Derivatives of functions, over lists of tensors; opwright.func handles pytrees.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_func(nanobind::module_& m);

}  // namespace opwright::python
