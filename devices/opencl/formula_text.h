// Formulas of pointwise operations in OpenCL C.
#pragma once

#include <string>
#include <string_view>

#include "opwright/dtype.h"

namespace opwright::opencl {

// The formula as an expression over variables with its names; literals get the type of `compute`. A
// truth value is an int of 0 or 1.
[[nodiscard]] std::string formula_text(std::string_view formula, DType compute);
// The functions that formulas of this dtype call.
[[nodiscard]] std::string formula_functions(DType compute);

}  // namespace opwright::opencl
