// opcheck for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_opcheck(nanobind::module_& m);

}  // namespace opwright::python
