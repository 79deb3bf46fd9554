// Fast checks of torch's Python objects and threads, by reading memory.
//
// Nothing is assumed: the offset of a tensor in its object is found by comparing samples with what
// torch reports. If that fails, the checks go through Python, and the fast path is not used.
#pragma once

#include <Python.h>

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

// The tensor inside a Python object of type torch.Tensor, borrowed; null if its offset is unknown.
// Throws what torch raises when samples are made, on the first call.
[[nodiscard]] AtenTensorHandle handle_inside(PyObject* tensor);

// Whether no mode, transform, tracer, profiler or autocast is active on this thread, except grad
// mode and inference mode; false if unknown.
[[nodiscard]] bool is_idle_thread();

}  // namespace opwright::torch_bridge
