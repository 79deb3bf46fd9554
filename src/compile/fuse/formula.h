// Translates the formula of a pointwise operation (ops/pointwise_formula.h) to lanes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/compile/fuse/lane_builder.h"
#include "opwright/dtype.h"
#include "opwright/scalar.h"

namespace opwright {

// Returns the lane of the result, of dtype `compute` or bool. `operands` are x, y, z, `numbers` a,
// b, c. Literals and truth values in arithmetic have dtype `compute`. ValueError with the position
// for invalid text.
uint32_t add_formula(LaneBuilder& lanes, std::string_view text, std::span<const uint32_t> operands,
                     std::span<const Scalar> numbers, DType compute);

}  // namespace opwright
