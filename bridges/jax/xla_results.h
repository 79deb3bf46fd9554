// Results of an operator into the buffers that XLA gives for them.
#pragma once

#include <string>

#include "bridges/jax/xla_ffi.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {

// Copies the tensor, unless it is exactly the buffer. ValueError when the buffer was made for
// another shape or dtype; `what` names the result.
void fill_buffer(const XlaBuffer& buffer, const Tensor& tensor, const std::string& what);
void fill_with_zeros(const XlaBuffer& buffer);

}  // namespace opwright::jax_bridge
