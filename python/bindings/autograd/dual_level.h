// One level of forward mode for opwright.autograd.forward_ad, entered like a `with`.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_dual_level(nanobind::module_& m);

}  // namespace opwright::python
