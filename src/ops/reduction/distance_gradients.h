// The gradients of _cdist_forward and _pdist_forward.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Of x1; that of x2 has the operands, `grad` and `distances` transposed.
[[nodiscard]] Tensor cdist_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2,
                                    double p, const Tensor& distances);
[[nodiscard]] Tensor pdist_gradient(const Tensor& grad, const Tensor& self, double p,
                                    const Tensor& distances);

}  // namespace opwright
