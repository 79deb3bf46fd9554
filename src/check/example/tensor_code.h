// Prints the elements of a tensor as Python code that creates them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "opwright/tensor.h"

namespace opwright {

// "ow.ones(2, 3)", "ow.arange(6).reshape(2, 3)", "ow.tensor([1.5, float(\"nan\")])": creates a
// contiguous tensor with the same bytes (any nan is a nan) on the same device. Zeros for dtypes
// without arithmetic.
[[nodiscard]] std::string values_code(const Tensor& tensor);

// "0.1", "float(\"inf\")": the shortest text that Python reads back as the same number.
[[nodiscard]] std::string float_code(double number);
// "(2, 3)", "(2,)", "()"
[[nodiscard]] std::string tuple_code(std::span<const int64_t> numbers);

}  // namespace opwright
