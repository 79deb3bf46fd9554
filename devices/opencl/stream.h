// Streams: in-order command queues. Null means the default stream of its device.
#pragma once

#include <cstdint>

#include <CL/cl.h>

#include "opwright/c_api.h"

struct OpwStream {
  cl_command_queue queue;
  int32_t index;  // of the device
};

namespace opwright::opencl {

class Device;

// An in-order queue that records the times of its commands, for event_time.
[[nodiscard]] cl_command_queue make_queue(cl_context context, cl_device_id id);
// The queue of the stream, or the device's own. RuntimeError for a stream of another device.
[[nodiscard]] cl_command_queue queue_of(const Device& device, const OpwStream* stream);
// Waits for all queued work.
void finish(cl_command_queue queue);

// The functions of the table; those that can fail throw.
OpwStream* current_stream(int32_t index);
OpwStream* set_current_stream(int32_t index, OpwStream* stream);
void new_stream(int32_t index, int32_t priority, OpwStream** stream);
void free_stream(int32_t index, OpwStream* stream);
void synchronize_stream(int32_t index, OpwStream* stream);
void synchronize(int32_t index);

}  // namespace opwright::opencl
