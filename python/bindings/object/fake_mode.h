// opwright.FakeTensorMode for Python, and the tensors created while one is active.
#pragma once

#include <nanobind/nanobind.h>

#include "opwright/tensor.h"

namespace opwright::python {

void bind_fake_mode(nanobind::module_& m);

// Adapts a tensor that Python made from data to the calling code: only its shape inside a fake mode
// or a fake kernel, a copy of a constant while a function is traced, otherwise the tensor itself.
Tensor adopt(Tensor made);

}  // namespace opwright::python
