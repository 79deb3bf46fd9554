// opwright.FakeTensorMode for Python, and what is made while one is active.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/tensor.h"

namespace opwright::python {

void bind_fake_mode(nanobind::module_& m);

// A tensor that Python made of data, as the code that made it sees it: its shape without the data
// inside of a fake mode or a fake kernel, a copy of a constant while a function is traced, else the
// tensor itself.
Tensor adopt(Tensor made);

}  // namespace opwright::python
