// Products that composites of several folders are made of: a chain of matrices, the cross product.
#pragma once

#include <cstdint>
#include <span>

#include "opwright/tensor.h"

namespace opwright {

// The product of one or more matrices, in the order with the fewest multiplications.
[[nodiscard]] Tensor multiply_chain(std::span<const Tensor> matrices);

// The cross products along a dimension of three elements: (a1, a2, a3) x (b1, b2, b3).
[[nodiscard]] Tensor cross_along(const Tensor& self, const Tensor& other, int64_t dim);

}  // namespace opwright
