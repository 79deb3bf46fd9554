// Programs as ONNX models, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace opwright::python {

void bind_onnx_model(nanobind::module_& m);

}  // namespace opwright::python
