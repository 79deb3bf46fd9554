// Dot products of halves, summed in float32.
#pragma once

#include <cstdint>

#include "opwright/dtype.h"

namespace opwright {

// The sum of a[i] * b[i]; T is Half or BFloat16.
template <class T>
[[nodiscard]] float multiply_dense_halves(const T* a, const T* b, int64_t count);
template <>
float multiply_dense_halves(const Half* a, const Half* b, int64_t count);
template <>
float multiply_dense_halves(const BFloat16* a, const BFloat16* b, int64_t count);

}  // namespace opwright
