// Constants in the type of another value, and constants shared by the elementary functions.
#pragma once

#include <cstdint>
#include <limits>

#include "opwright/compile/llvm/ir_builder.h"

namespace opwright::lane_math {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// 1.5 * 2^52: added to a double, it rounds to an int.
inline constexpr double kDoubleRounding = 6755399441055744.0;

inline IrValue constant(const IrValue& like, double value) {
  return IrBuilder::number(like.type, value);
}
inline IrValue whole(const IrValue& like, int64_t value) {
  return IrBuilder::integer(like.type, value);
}

}  // namespace opwright::lane_math
