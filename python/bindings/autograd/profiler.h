// CallTimes: when the operator calls of a `with` statement began and ended.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_profiler(nanobind::module_& m);

}  // namespace opwright::python
