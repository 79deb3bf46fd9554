// Pieces of the gradients of matrix products.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// The conjugate transpose of each matrix; of real ones a view.
[[nodiscard]] Tensor adjoint(const Tensor& matrices);

// The gradients of `mat1 mat2` for each factor. `is_transposed` tells of the factor: its gradient
// is laid out as it is, so that the matrix that it is a view of gets a dense one.
[[nodiscard]] Tensor first_factor_gradient(const Tensor& grad, const Tensor& second,
                                           bool is_transposed);
[[nodiscard]] Tensor second_factor_gradient(const Tensor& grad, const Tensor& first,
                                            bool is_transposed);

}  // namespace opwright
