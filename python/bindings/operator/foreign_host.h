// Other hosts that opcheck compares with, given as Python functions.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_foreign_host(nanobind::module_& m);

}  // namespace opwright::python
