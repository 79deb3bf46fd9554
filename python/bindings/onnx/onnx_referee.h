// The Python object that runs the ONNX models that opcheck makes.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_onnx_referee(nanobind::module_& m);

}  // namespace opwright::python
