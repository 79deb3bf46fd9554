// Quick questions to torch's Python objects and threads, answered by words of memory.
//
// Nothing is taken on trust: where a tensor object keeps its tensor is found out by comparing
// samples with what torch says of them. Where that fails the answers come from Python, and the fast
// path is not taken.
#pragma once

#include <Python.h>

#include "bridges/torch/stable_abi.h"

namespace opwright::torch_bridge {

// The tensor inside of a Python object of type torch.Tensor, borrowed; null where it is not known
// where that stands. Throws what torch raises when samples are made, on the first call.
[[nodiscard]] AtenTensorHandle handle_inside(PyObject* tensor);

// Whether no mode, transform, tracer, profiler or autocast is active on this thread, grad mode and
// inference mode aside; false where nobody can tell.
[[nodiscard]] bool is_idle_thread();

}  // namespace opwright::torch_bridge
