// Kernels that are built from a text in CUDA C++ while the program runs, by NVRTC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/c_api.h"

namespace opwright::cuda {

// Functions of the table. The kernel is declared extern "C" __global__; the options are those of
// NVRTC, separated by spaces.
int build_kernel_cuda(const OpwHost* host, int32_t index, const char* source, const char* name,
                      const char* options, OpwDeviceKernel** kernel);
int launch_kernel_cuda(const OpwHost* host, int32_t index, OpwDeviceKernel* kernel,
                       const OpwLaunch* launch, OpwStream* stream);

}  // namespace opwright::cuda
