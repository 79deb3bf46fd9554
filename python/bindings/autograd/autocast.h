// The autocast mode for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_autocast(nanobind::module_& m);

}  // namespace opwright::python
