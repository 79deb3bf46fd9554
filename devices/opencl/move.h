// move_elements: gather, scatter and add by indices.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

void move_elements(int32_t index, const OpwMove* move, OpwStream* stream);

}  // namespace opwright::opencl
