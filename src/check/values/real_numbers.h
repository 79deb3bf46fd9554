// Tensors as plain lists of real numbers. A complex element is two of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/tensor.h"

namespace opwright {

// float64, complex128 for complex dtypes.
[[nodiscard]] constexpr DType fine_dtype(DType dtype) {
  return is_complex(dtype) ? DType::Complex128 : DType::Float64;
}

[[nodiscard]] size_t count_numbers(const Tensor& tensor);
// Copied, in element order.
[[nodiscard]] std::vector<double> numbers_of(const Tensor& tensor);
// A tensor with the sizes, dtype and device of `like`.
[[nodiscard]] Tensor tensor_of(std::span<const double> numbers, const Tensor& like);
// Index of number `index`: "[1, 2]", for complex tensors "[1, 2] (imaginary part)".
[[nodiscard]] std::string place_text(const Tensor& tensor, size_t index);

}  // namespace opwright
