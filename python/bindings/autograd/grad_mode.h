// no_grad, enable_grad, set_grad_enabled and inference_mode for Python: raw types, since programs
// enter them around single calls.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_grad_mode(nanobind::module_& m);

}  // namespace opwright::python
