// Converts between floats of 8 bits and numbers of every other dtype.
#pragma once

#include "opwright/dtype.h"
#include "opwright/ops/engine/cpu/conversion.h"

namespace opwright {

[[nodiscard]] constexpr bool is_float8(DType dtype) noexcept {
  return dtype == DType::Float8E4M3FN || dtype == DType::Float8E5M2;
}

// One of the dtypes is a float of 8 bits, the other is not the same.
[[nodiscard]] ConversionFunction find_float8_conversion(DType to, DType from);

}  // namespace opwright
