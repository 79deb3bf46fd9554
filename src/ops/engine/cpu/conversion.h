// Elements of one dtype as elements of another, with any strides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/dtype.h"

namespace opwright {

// Writes `count` elements; strides are in bytes. The two do not overlap, or are the same elements.
using ConversionFunction = void (*)(std::byte* to, int64_t to_stride, const std::byte* from,
                                    int64_t from_stride, int64_t count);

// TypeError for a dtype that cannot be computed with, unless both are the same.
[[nodiscard]] ConversionFunction find_conversion(DType to, DType from);

}  // namespace opwright
