// torch::autograd::increment_version: does nothing, since every operator call raises the versions
// of the arguments that its schema marks as written.
#pragma once

#include "opwright/compat/ATen/core/Tensor.h"

namespace torch OPWRIGHT_VISIBILITY {
namespace autograd {
inline void increment_version(const at::Tensor& /*written*/) {}
}  // namespace autograd
}  // namespace torch
