// compute_fold: reductions.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

void compute_fold(int32_t index, const OpwFold* fold, OpwStream* stream);

}  // namespace opwright::opencl
