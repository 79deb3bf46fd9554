// DispatchMode: a Python function that gets every operator call of a `with` statement.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_dispatch_mode(nanobind::module_& m);

}  // namespace opwright::python
