// torch::autograd::increment_version: whoever calls an operator raises the versions of what its
// schema marks as written.
#pragma once

#include "opwright/compat/ATen/core/Tensor.h"

namespace torch OPWRIGHT_VISIBILITY {
namespace autograd {
inline void increment_version(const at::Tensor& /*written*/) {}
}  // namespace autograd
}  // namespace torch
