// Python hooks on tensors saved for a backward.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_saved_tensor_hooks(nanobind::module_& m);

}  // namespace opwright::python
