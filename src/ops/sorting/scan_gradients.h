// The gradients of scans along a dimension.
#pragma once

#include <cstdint>

#include "opwright/tensor.h"

namespace opwright {

// The sum of each element and those behind it.
[[nodiscard]] Tensor cumsum_from_end(const Tensor& grad, int64_t dim);

[[nodiscard]] Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, int64_t dim,
                                      const Tensor& result);
[[nodiscard]] Tensor logcumsumexp_gradient(const Tensor& grad, const Tensor& self, int64_t dim,
                                           const Tensor& result);

}  // namespace opwright
