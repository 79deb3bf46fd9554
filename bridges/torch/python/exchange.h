// DLPack's exchange interface, as far as the bridge uses it: the memory of a torch tensor without a
// Python call.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Fills `view` with the memory of a plain tensor of torch's own types, borrowed: it ends with the
// tensor or its next change of shape. False, with nothing raised, where this torch has no such
// interface or refuses the tensor.
[[nodiscard]] bool view_memory(PyObject* tensor, OpwDlTensor& view);

}  // namespace opwright::torch_bridge
