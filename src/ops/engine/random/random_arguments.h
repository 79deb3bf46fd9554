// Argument checks of random number operators.
#pragma once

#include <cmath>

#include "opwright/dtype.h"
#include "opwright/error.h"
#include "opwright/for_dtype.h"

namespace opwright {

inline void check_floating(const char* who, DType dtype) {
  if (!is_floating(dtype) || item_size(dtype) == 1) throw_dtype(dtype, who, "floating dtypes");
}
inline void check_inexact(const char* who, DType dtype) {
  if (!is_complex(dtype) && (!is_floating(dtype) || item_size(dtype) == 1))
    throw_dtype(dtype, who, "floating and complex dtypes");
}
inline void check_probability(const char* who, double p) {
  OPWRIGHT_CHECK_VALUE(p >= 0 && p <= 1, who, ": p must be a probability between 0 and 1, got ", p);
}
inline void check_std(const char* who, double std) {
  OPWRIGHT_CHECK_VALUE(std >= 0, who, ": std must not be negative, got ", std);
}

}  // namespace opwright
