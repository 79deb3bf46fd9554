// What is asked before the last handle of a tensor with autograd data ends the tensor.
#pragma once

#include "opwright/tensor/tensor_impl.h"

namespace opwright {

// False: another thread took a handle meanwhile, and the one that was dropped is given back; the
// tensor lives on. Any thread.
using LastHandleRule = bool (*)(TensorImpl& tensor);

// Once, before the first tensor gets autograd data.
void set_last_handle_rule(LastHandleRule rule) noexcept;

}  // namespace opwright
