// torch::autograd::Function is not available: register an operator's backward formula instead; its
// calls need no wrapper.
#pragma once

#include <vector>

#include "opwright/compat/torch/types.h"

namespace torch OPWRIGHT_VISIBILITY {
namespace autograd {
using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = variable_list;

struct AutogradContext;

template <class T>
struct Function {
  static_assert(sizeof(T*) == 0,
                "torch::autograd::Function: register the formula instead, with "
                "OPWRIGHT_LIBRARY_FRAGMENT(ns, m) { "
                "m.register_autograd(name, &save, &backward); } of opwright/library.h");
};
}  // namespace autograd
}  // namespace torch
