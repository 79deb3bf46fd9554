// A hook called before the last handle of a tensor with autograd data destroys the tensor.
#pragma once

#include "opwright/tensor/tensor_impl.h"

namespace opwright {

// False: another thread took a handle meanwhile, and the dropped one has been released; the tensor
// lives on. Any thread.
using LastHandleRule = bool (*)(TensorImpl& tensor);

// Call once, before the first tensor gets autograd data.
void set_last_handle_rule(LastHandleRule rule) noexcept;

}  // namespace opwright
