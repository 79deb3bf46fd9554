// Gradients of operands that were broadcast.
#pragma once

#include <span>

#include "opwright/symint.h"
#include "opwright/tensor.h"

namespace opwright {

// The gradient summed over what `sizes`, which it must broadcast from, repeat.
[[nodiscard]] Tensor sum_to_sizes(const Tensor& gradient, std::span<const SymInt> sizes);

[[nodiscard]] Tensor sum_to_sizes(const Tensor& gradient, const Tensor& like);

// `tensor` as it is broadcast with `other`; itself where nothing is to be repeated.
[[nodiscard]] Tensor expand_with(const Tensor& tensor, const Tensor& other);

// A gradient that no formula gives: NotImplementedError. "who: the gradient of 'name' ...".
[[noreturn]] Tensor refuse_gradient(const Tensor& gradient, const char* who, const char* name);

}  // namespace opwright
