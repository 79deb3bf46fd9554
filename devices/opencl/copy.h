// Copies dense bytes between the CPU and devices.
#pragma once

#include <cstddef>

#include "opwright/c_api.h"

namespace opwright::opencl {

// The functions of the table; those that can fail throw.
void copy(void* to, OpwDevice to_device, const void* from, OpwDevice from_device, size_t bytes,
          OpwStream* stream);

}  // namespace opwright::opencl
