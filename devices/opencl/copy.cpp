#include "devices/opencl/copy.h"

#include <cstddef>
#include <vector>

#include <CL/cl.h>

#include "devices/opencl/device.h"
#include "devices/opencl/loader.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"

namespace opwright::opencl {
namespace {

void copy_on(cl_command_queue queue, void* to, const void* from, size_t bytes, bool waits) {
  check_status(opencl().clEnqueueSVMMemcpy(queue, waits ? CL_TRUE : CL_FALSE, to, from, bytes, 0,
                                           nullptr, nullptr),
               "clEnqueueSVMMemcpy");
}

}  // namespace

void copy(void* to, OpwDevice to_device, const void* from, OpwDevice from_device, size_t bytes,
          OpwStream* stream) {
  if (bytes == 0) return;
  const bool is_to_cpu = to_device.type == kOpwDeviceCpu;
  const bool is_from_cpu = from_device.type == kOpwDeviceCpu;
  const Device& device = find_device(is_to_cpu ? from_device.index : to_device.index);
  if (is_to_cpu || is_from_cpu || to_device.index == from_device.index) {
    copy_on(queue_of(device, stream), to, from, bytes, is_to_cpu || is_from_cpu);
    return;
  }
  // Two devices have two contexts, so the bytes go through the CPU. The stream belongs to one of
  // them; the other's work is on its current stream.
  const Device& source = find_device(from_device.index);
  const bool is_of_source = stream != nullptr && stream->index == source.index();
  std::vector<std::byte> bytes_between(bytes);
  copy_on(queue_of(source, is_of_source ? stream : current_stream(source.index())),
          bytes_between.data(), from, bytes, true);
  copy_on(queue_of(device, is_of_source ? current_stream(device.index()) : stream), to,
          bytes_between.data(), bytes, true);
}

}  // namespace opwright::opencl
