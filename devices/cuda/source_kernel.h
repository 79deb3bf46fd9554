// Kernels compiled at run time from CUDA C++ text, with NVRTC.
#pragma once

#include <cstdint>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Functions of the table. The kernel is declared extern "C" __global__; the options are NVRTC's,
// separated by spaces.
int build_kernel_cuda(const OpwHost* host, int32_t index, const char* source, const char* name,
                      const char* options, OpwDeviceKernel** kernel);
int launch_kernel_cuda(const OpwHost* host, int32_t index, OpwDeviceKernel* kernel,
                       const OpwLaunch* launch, OpwStream* stream);

}  // namespace opwright::cuda
