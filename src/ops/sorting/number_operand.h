// A number as the operand of an operator that compares it with the elements of a tensor.
#pragma once

#include "opwright/scalar.h"
#include "opwright/tensor.h"

namespace opwright {

// Without dimensions, of the dtype that the number and the tensor are promoted to, on its device.
[[nodiscard]] Tensor number_operand(const Scalar& number, const Tensor& tensor);

}  // namespace opwright
