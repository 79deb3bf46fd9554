// Gradients of _cdist_forward and _pdist_forward.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// Gradient of x1; for x2, swap the operands and transpose `grad` and `distances`.
[[nodiscard]] Tensor cdist_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2,
                                    double p, const Tensor& distances);
[[nodiscard]] Tensor pdist_gradient(const Tensor& grad, const Tensor& self, double p,
                                    const Tensor& distances);

}  // namespace opwright
