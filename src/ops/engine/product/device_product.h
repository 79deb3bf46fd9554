// Products of matrices on devices that compute them.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// result = alpha * left @ right + beta * result. The tensors have one dtype and fit each other: a
// vector (a row on the left, else a column), a matrix or a batch of matrices, with any strides; the
// elements of `result` do not meet. It is not read where beta is 0. NotImplementedError for `who`
// where the device computes no products.
void multiply_on_device(const char* who, const Tensor& left, const Tensor& right,
                        const Tensor& result, double alpha = 1, double beta = 0);

}  // namespace opwright
