// Matrix products on devices that compute them.
#pragma once

#include "opwright/tensor.h"

namespace opwright {

// result = alpha * left @ right + beta * result. The tensors have one dtype and compatible sizes: a
// vector (a row on the left, else a column), a matrix or a batch of matrices, with any strides; the
// elements of `result` must not overlap. It is not read if beta is 0. NotImplementedError for `who`
// if the device has no products.
void multiply_on_device(const char* who, const Tensor& left, const Tensor& right,
                        const Tensor& result, double alpha = 1, double beta = 0);

}  // namespace opwright
