// _C.CheckedCalls: runs opcheck on the calls of a `with` block.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_checked_calls(nanobind::module_& m);

}  // namespace opwright::python
