// opwright.UntypedStorage: the memory that a tensor and its views share.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_storage(nanobind::module_& m);

}  // namespace opwright::python
