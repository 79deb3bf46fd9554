// A kernel of the plug-in, launched by the driver. The runtime's <<<...>>> does more work, which is
// noticeable in calls on small tensors.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include "devices/cuda/device.h"
#include "devices/cuda/driver_functions.h"

namespace opwright::cuda {

class KernelHandle {
 public:
  // `kernel` is a __global__ function. One handle works on all devices.
  explicit KernelHandle(const void* kernel) : launch_(driver_functions().launch) {
    cudaKernel_t found = nullptr;
    check_cuda(cudaGetKernel(&found, kernel), "finding a kernel of the plug-in", current_device());
    function_ = reinterpret_cast<CUfunction>(found);
  }

  // Blocks of `threads` along one dimension; `arguments` is the kernel's only parameter.
  template <class Arguments>
  [[nodiscard]] CUresult launch(unsigned blocks, unsigned threads, const Arguments& arguments,
                                CUstream_st* stream) const {
    void* given = const_cast<Arguments*>(&arguments);  // only read
    return launch_(function_, blocks, 1, 1, threads, 1, 1, 0, stream, &given, nullptr);
  }

 private:
  decltype(DriverFunctions::launch) launch_;
  CUfunction function_;
};

}  // namespace opwright::cuda
