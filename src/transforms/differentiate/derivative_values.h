// Values of derivatives and the tensors inside them.
#pragma once

#include "opwright/tensor.h"
#include "opwright/visibility.h"

namespace opwright {

// The tensor as a constant of the derivative whose function runs, so that the function can write
// differentiated values to it. Itself if the innermost transform is no derivative.
[[nodiscard]] OPWRIGHT_EXPORT Tensor lift_to_derivative(const Tensor& tensor);

// The tensor inside a transform's value; itself if it is none.
[[nodiscard]] OPWRIGHT_EXPORT Tensor inner_value(const Tensor& tensor);
// The tensor whose data a value of a derivative shows. Values of other transforms, which show other
// data than the tensor inside, are returned as they are.
[[nodiscard]] OPWRIGHT_EXPORT Tensor data_holder(const Tensor& tensor);

}  // namespace opwright
