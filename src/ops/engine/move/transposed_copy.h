// Copies whose source and target are dense along different dimensions, as after a transpose.
#pragma once

#include <cstdint>

#include "opwright/ops/engine/cpu/strided_loop.h"

namespace opwright {

// If `loop`, over a target and a source with the same item size, is such a copy and large enough
// for tiling to pay, copies and returns true.
bool copy_transposed(const StridedLoop& loop, int64_t item);

// The same for a few dense rows of the source whose elements alternate in the target.
bool copy_interleaved(const StridedLoop& loop, int64_t item);

}  // namespace opwright
