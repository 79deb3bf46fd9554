// The arguments of a call from Python, bound but not run.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/check/example/example.h"

namespace opwright::python {

// What `op(*args, **kwargs)` would call: the overload that Python chose, with its defaults. Throws
// binding errors; TypeError, starting with `who`, if `op` does not call an operator.
[[nodiscard]] Example capture_example(const char* who, const nanobind::callable& op,
                                      const nanobind::tuple& args, const nanobind::dict& kwargs);

}  // namespace opwright::python
