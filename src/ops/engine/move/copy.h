// Copying elements between tensors on the CPU, with conversion.
#pragma once

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

// Writes `source`, read as if broadcast to the sizes of `target`, converted to its dtype. The two
// do not overlap, or are the same elements.
void copy_elements(const Tensor& target, const Tensor& source);

// `tensor` itself when it has the dtype, else a dense converted copy in the same order of
// dimensions.
[[nodiscard]] Tensor as_dtype(const Tensor& tensor, DType dtype);

// `tensor` itself when it is contiguous, else a contiguous copy.
[[nodiscard]] Tensor as_contiguous(const Tensor& tensor);

}  // namespace opwright
