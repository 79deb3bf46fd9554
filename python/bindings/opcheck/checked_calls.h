// _C.CheckedCalls: opcheck of what the body of a `with` statement calls.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_checked_calls(nanobind::module_& m);

}  // namespace opwright::python
