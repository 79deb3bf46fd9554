// compute_loop: a formula over elements.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

void compute_loop(int32_t index, const OpwLoop* loop, OpwStream* stream);

}  // namespace opwright::opencl
