// opwright._torch.Fast: a kernel called without torch's dispatcher, for plain eager calls.
//
// Safe if every tensor is exactly a torch.Tensor or Parameter with memory on a device that the
// binary has a kernel for, and no mode, transform, tracer, profiler or autocast is active. Such
// calls that need a gradient go to `recorded`, unless it is null. Every other call goes to the
// fallback, with the caller's arguments.
#pragma once

#include <Python.h>

#include "bridges/torch/torch_operator.h"

namespace opwright::torch_bridge {

// A new reference.
[[nodiscard]] PyObject* make_fast(TorchOperator& op, PyObject* fallback, PyObject* recorded);

void add_fast_type(PyObject* module);

}  // namespace opwright::torch_bridge
