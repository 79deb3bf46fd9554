#include "devices/cuda/copy.h"

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/device.h"
#include "devices/cuda/pinned.h"
#include "devices/cuda/primitives.h"
#include "devices/cuda/stream.h"
#include "opwright/c_api.h"

namespace opwright::cuda {
namespace {

void copy_on_device(void* to, const void* from, size_t bytes, int32_t index, OpwStream* stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda_stream(stream)),
             "copying on the device", index);
}

// Ordered on `stream`, which belongs to the receiving device, and on the other's current stream.
void copy_between(void* to, int32_t to_index, const void* from, int32_t from_index, size_t bytes,
                  OpwStream* stream) {
  OpwStream* other = current_stream_of(from_index);
  order_streams(from_index, other, to_index, stream);
  check_cuda(cudaMemcpyPeerAsync(to, to_index, from, from_index, bytes, cuda_stream(stream)),
             "copying from another device", to_index);
  order_streams(to_index, stream, from_index, other);
}

void copy_from_cpu(void* to, const void* from, size_t bytes, int32_t index, OpwStream* stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda_stream(stream)),
             "copying from the cpu", index);
  if (is_pinned(from, bytes)) return note_pinned_use(from, cuda_stream(stream));
  check_cuda(cudaStreamSynchronize(cuda_stream(stream)), "copying from the cpu", index);
  throw_index_fault(index);
}

void copy_to_cpu(void* to, const void* from, size_t bytes, int32_t index, OpwStream* stream) {
  check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda_stream(stream)),
             "copying to the cpu", index);
  check_cuda(cudaStreamSynchronize(cuda_stream(stream)), "copying to the cpu", index);
  throw_index_fault(index);
}

}  // namespace

int copy_cuda(const OpwHost* host, void* to, OpwDevice to_device, const void* from,
              OpwDevice from_device, size_t bytes, OpwStream* stream) {
  const bool to_cpu = to_device.type == kOpwDeviceCpu;
  const int32_t index = to_cpu ? from_device.index : to_device.index;
  return run_on(host, index, [&] {
    if (to_cpu) {
      copy_to_cpu(to, from, bytes, index, stream);
    } else if (from_device.type == kOpwDeviceCpu) {
      copy_from_cpu(to, from, bytes, index, stream);
    } else if (from_device.index == to_device.index) {
      copy_on_device(to, from, bytes, index, stream);
    } else {
      copy_between(to, to_device.index, from, from_device.index, bytes, stream);
    }
  });
}

}  // namespace opwright::cuda
