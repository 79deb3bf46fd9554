#include "devices/cuda/driver_functions.h"

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/device.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

template <class Function>
void find(const char* name, unsigned version, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
  OPWRIGHT_CHECK(status == cudaSuccess && result == cudaDriverEntryPointSuccess && found,
                 "the driver has no function ", name, ": update the driver");
  function = reinterpret_cast<Function>(found);
}

}  // namespace

DriverFunctions::DriverFunctions() {
  find("cuLibraryLoadData", 12000, load);
  find("cuLibraryGetKernel", 12000, find_kernel);
  find("cuKernelGetFunction", 12000, function_of);
  find("cuKernelGetParamInfo", 12040, argument_of);
  find("cuFuncSetAttribute", 9000, set_attribute);
  find("cuLaunchKernel", 7000, launch);
}

const DriverFunctions& driver_functions() {
  static const DriverFunctions found;
  return found;
}

// The driver's error numbers are the runtime's.
void check_driver(CUresult result, const std::string& what, int32_t index) {
  check_cuda(static_cast<cudaError_t>(result), what.c_str(), index);
}

}  // namespace opwright::cuda
