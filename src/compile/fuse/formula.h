// Reads the formula of a pointwise operation (ops/pointwise_formula.h) into lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/dtype.h"
#include "opwright/scalar.h"

namespace opwright {

// The lane of the result, of `compute` or bool. `operands` are x, y, z, `numbers` a, b, c.
// Literals and truth values in arithmetic are of `compute`. ValueError with the place for a text
// that is no formula.
uint32_t add_formula(LaneBuilder& lanes, std::string_view text, std::span<const uint32_t> operands,
                     std::span<const Scalar> numbers, DType compute);

}  // namespace opwright
