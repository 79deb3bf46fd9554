// A user's kernels in OpenCL C.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::opencl {

// The functions of the table; those that can fail throw.
void build_kernel(int32_t index, const char* source, const char* name, const char* options,
                  OpwDeviceKernel** kernel);
void launch_kernel(int32_t index, OpwDeviceKernel* kernel, const OpwLaunch* launch,
                   OpwStream* stream);

}  // namespace opwright::opencl
