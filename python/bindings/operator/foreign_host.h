// Other hosts that opcheck compares with, implemented in Python.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_foreign_host(nanobind::module_& m);

}  // namespace opwright::python
