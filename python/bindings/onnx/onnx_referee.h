// Who runs the ONNX models that opcheck makes, given as a Python object.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_onnx_referee(nanobind::module_& m);

}  // namespace opwright::python
