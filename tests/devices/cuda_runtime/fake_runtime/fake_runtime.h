// Two fake devices: CUDA's runtime on the CPU, so that the plug-in's own code runs without a
// device.
//
// Queued work runs no earlier than it is waited for, so code that forgets to wait sees old values.
// Streams and events know their device, like CUDA's. Nothing here is called by two threads at once.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace opwright::fake_cuda {

// Adds work to a stream of the current device. It returns its status, which the device then keeps.
void queue_work(cudaStream_t stream, std::function<cudaError_t()> work);

}  // namespace opwright::fake_cuda
