// opwright.FakeTensorMode for Python, and what is made while one is active.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/tensor.h"

namespace opwright::python {

void bind_fake_mode(nanobind::module_& m);

// A tensor that Python made of data, as code inside of a fake mode or a fake kernel sees it: the
// shape without the data there, else the tensor itself.
Tensor fake_if_active(Tensor made);

// For reading the data of a fake tensor, with the user's line.
[[noreturn]] void throw_no_data(const char* who, const Tensor& tensor,
                                const char* kind = "RuntimeError");

}  // namespace opwright::python
