// draw_random: random numbers from Philox, as described in docs/concepts/device_plugin.md.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

void draw_random(int32_t index, const OpwRandom* random, OpwStream* stream);

}  // namespace opwright::opencl
