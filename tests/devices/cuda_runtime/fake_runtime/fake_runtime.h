// Two devices that are made up: CUDA's runtime on the cpu, so that the plug-in's own code runs
// where there is no device.
//
// Work is queued and done no earlier than somebody waits for it, so that code that forgets to wait
// sees old values. Streams and events know their device, as CUDA's do. Nothing here is called by
// two threads at once.
#pragma once

#include <functional>

#include <cuda_runtime_api.h>

namespace opwright::fake_cuda {

// Adds work to a stream of the current device. It gives its status, which the device then keeps.
void queue_work(cudaStream_t stream, std::function<cudaError_t()> work);

}  // namespace opwright::fake_cuda
