// One run of functionalize, for opwright.func.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_functionalize(nanobind::module_& m);

}  // namespace opwright::python
