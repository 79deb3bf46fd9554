// gradcheck and gradgradcheck over lists of tensors; opwright._gradcheck handles pytrees.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_gradcheck(nanobind::module_& m);

}  // namespace opwright::python
