// The text of a tensor, as PyTorch prints it.
//
//   tensor([[1., 2.],
//           [3., 4.]], device='cuda:0', dtype=float16, requires_grad=True)
//
// Floats have four digits, or a scientific form where their magnitudes differ much. More than 1000
// elements are cut to three at each end of a dimension. The dtype is shown where it is not float32,
// int64 or bool, the device where it is not cpu. A tensor without memory of its own shows its
// sizes: tensor(..., size=(2, s0)); so does one with so many dimensions that even the cut form is
// endless.
#pragma once

#include <string>

#include "opwright/tensor.h"

namespace opwright {

// Copies the memory of another device to the cpu first. Throws what that copy throws.
[[nodiscard]] std::string to_text(const Tensor& tensor);

}  // namespace opwright
