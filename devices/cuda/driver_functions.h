// The driver's own functions, looked up through the runtime, which has found the driver.
#pragma once

#include <cstdint>
#include <string>

#include <cuda.h>

namespace opwright::cuda {

struct DriverFunctions {
  decltype(&cuLibraryLoadData) load = nullptr;
  decltype(&cuLibraryGetKernel) find_kernel = nullptr;
  decltype(&cuKernelGetFunction) function_of = nullptr;
  decltype(&cuKernelGetParamInfo) argument_of = nullptr;
  decltype(&cuFuncSetAttribute) set_attribute = nullptr;
  decltype(&cuLaunchKernel) launch = nullptr;

  // Throws if the driver does not have one of them.
  DriverFunctions();
};
const DriverFunctions& driver_functions();

// Like check_cuda.
void check_driver(CUresult result, const std::string& what, int32_t index);

}  // namespace opwright::cuda
