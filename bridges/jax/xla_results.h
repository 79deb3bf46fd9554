// Copies results of an operator into XLA's buffers for them.
#pragma once

#include <string>

#include "bridges/jax/xla_ffi.h"
#include "opwright/tensor.h"

namespace opwright::jax_bridge {

// Copies the tensor, unless it already is the buffer. ValueError, with `what` as the result's name,
// if the buffer was made for another shape or dtype.
void fill_buffer(const XlaBuffer& buffer, const Tensor& tensor, const std::string& what);
void fill_with_zeros(const XlaBuffer& buffer);

}  // namespace opwright::jax_bridge
