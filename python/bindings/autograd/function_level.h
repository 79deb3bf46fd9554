// What an autograd.Function needs to run its own vmap and jvp rules.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_function_level(nanobind::module_& m);

}  // namespace opwright::python
