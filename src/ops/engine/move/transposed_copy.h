// Copies whose source is dense along another dimension than their target, as after a transpose.
#pragma once

#include <cstdint>

#include "opwright/ops/engine/cpu/strided_loop.h"

namespace opwright {

// Copies and returns true when `loop`, over a target and a source of the same items, is such a copy
// and large enough for tiles to pay.
bool copy_transposed(const StridedLoop& loop, int64_t item);

}  // namespace opwright
