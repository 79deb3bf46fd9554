#include "stream.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <CL/cl.h>

#include "device.h"
#include "loader.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

// The current stream of each device, on this thread.
std::vector<OpwStream*>& current_streams() {
  thread_local std::vector<OpwStream*> streams;
  return streams;
}

}  // namespace

cl_command_queue make_queue(cl_context context, cl_device_id id) {
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  cl_command_queue queue =
      opencl().clCreateCommandQueueWithProperties(context, id, properties, &status);
  check_status(status, "clCreateCommandQueueWithProperties");
  return queue;
}

cl_command_queue queue_of(const Device& device, const OpwStream* stream) {
  if (stream == nullptr) return device.queue();
  OPWRIGHT_CHECK(stream->index == device.index(), "opencl: work on opencl:", device.index(),
                 " was given a stream of opencl:", stream->index);
  return stream->queue;
}

void finish(cl_command_queue queue) { check_status(opencl().clFinish(queue), "clFinish"); }

OpwStream* current_stream(int32_t index) {
  const std::vector<OpwStream*>& streams = current_streams();
  const auto place = static_cast<size_t>(index);
  return index >= 0 && place < streams.size() ? streams[place] : nullptr;
}

OpwStream* set_current_stream(int32_t index, OpwStream* stream) {
  if (index < 0) return nullptr;
  std::vector<OpwStream*>& streams = current_streams();
  const auto place = static_cast<size_t>(index);
  if (place >= streams.size()) streams.resize(place + 1, nullptr);
  OpwStream* previous = streams[place];
  streams[place] = stream;
  return previous;
}

void new_stream(int32_t index, int32_t /*priority*/, OpwStream** stream) {
  Device& device = find_device(index);
  auto made = std::make_unique<OpwStream>(
      OpwStream{make_queue(device.context(), device.id()), device.index()});
  device.add_stream(made.get());
  *stream = made.release();
}

void free_stream(int32_t index, OpwStream* stream) {
  Device* device = find_device_or_null(index);
  if (device == nullptr || stream == nullptr) return;
  opencl().clFinish(stream->queue);
  device->remove_stream(stream);
  device->memory().release_cache_of(stream->queue);
  opencl().clReleaseCommandQueue(stream->queue);
  delete stream;
}

void synchronize_stream(int32_t index, OpwStream* stream) {
  finish(queue_of(find_device(index), stream));
}

void synchronize(int32_t index) { find_device(index).finish_all(); }

}  // namespace opwright::opencl
