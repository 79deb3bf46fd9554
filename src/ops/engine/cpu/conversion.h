// Converts elements of one dtype to another, with any strides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "opwright/dtype.h"

namespace opwright {

// Writes `count` elements; strides are in bytes. Source and target must be disjoint or identical.
using ConversionFunction = void (*)(std::byte* to, int64_t to_stride, const std::byte* from,
                                    int64_t from_stride, int64_t count);

// TypeError for a dtype without arithmetic, unless both are the same.
[[nodiscard]] ConversionFunction find_conversion(DType to, DType from);

}  // namespace opwright
