// opwright.export.Dim for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_dim(nanobind::module_& m);

}  // namespace opwright::python
