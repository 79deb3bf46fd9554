// opwright._torch.Fast: a kernel called without torch's dispatcher, for plain eager inference.
//
// Safe where every tensor is exactly a torch.Tensor or Parameter with memory on a device that the
// binary has a kernel for, none needs a gradient, and no mode, transform, tracer or autocast is
// active. Every other call goes to the fallback, with what the caller gave.
#pragma once

#include <Python.h>

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// A new reference.
[[nodiscard]] PyObject* make_fast(TorchOperator& op, PyObject* fallback);

void add_fast_type(PyObject* module);

}  // namespace opwright::torch_bridge
