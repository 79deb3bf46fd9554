// The part of DLPack's exchange interface that the bridge uses: the memory of a torch tensor
// without a Python call.
#pragma once

#include <Python.h>

#include "opwright/c_api.h"

namespace opwright::torch_bridge {

// Fills `view` with the memory of a plain tensor of torch's own types, borrowed: valid until the
// tensor dies or its shape changes. False, with nothing raised, if this torch does not have the
// interface or rejects the tensor.
[[nodiscard]] bool view_memory(PyObject* tensor, OpwDlTensor& view);

}  // namespace opwright::torch_bridge
