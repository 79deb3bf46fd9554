// Variations of a call, and calls as code.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_variation(nanobind::module_& m);

}  // namespace opwright::python
