// Copies elements between CPU tensors, with conversion.
#pragma once

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

// Writes `source`, broadcast to the sizes of `target` and converted to its dtype. The two must be
// disjoint or identical.
void copy_elements(const Tensor& target, const Tensor& source);

// `tensor` itself if it has the dtype, else a dense converted copy with the same dimension order.
[[nodiscard]] Tensor as_dtype(const Tensor& tensor, DType dtype);

// `tensor` itself if it is contiguous, else a contiguous copy.
[[nodiscard]] Tensor as_contiguous(const Tensor& tensor);

}  // namespace opwright
