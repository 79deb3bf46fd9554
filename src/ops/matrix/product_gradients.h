// Parts of the gradients of matrix products.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// The gradients of `mat1 mat2` for each factor. `is_transposed` describes the factor: its gradient
// gets the same layout, so the matrix it is a view of gets a dense gradient.
[[nodiscard]] Tensor first_factor_gradient(const Tensor& grad, const Tensor& second,
                                           bool is_transposed);
[[nodiscard]] Tensor second_factor_gradient(const Tensor& grad, const Tensor& first,
                                            bool is_transposed);

}  // namespace opwright
