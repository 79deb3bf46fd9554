// Gradients of products and of scans along a dimension. None divides by an element, so zeros need
// no special case, even in higher-order gradients.
#pragma once

#include <cstdint>

#include "opwright/tensor.h"

namespace opwright {

[[nodiscard]] Tensor reversed_cumsum(const Tensor& grad, int64_t dim);
[[nodiscard]] Tensor prod_gradient(const Tensor& grad, const Tensor& self);
[[nodiscard]] Tensor prod_gradient(const Tensor& grad, const Tensor& self, int64_t dim,
                                   bool keepdim);
[[nodiscard]] Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, int64_t dim);
[[nodiscard]] Tensor logcumsumexp_gradient(const Tensor& grad, const Tensor& self,
                                           const Tensor& result, int64_t dim);

}  // namespace opwright
