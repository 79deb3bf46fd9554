// current_stream: the queue of a device that a kernel submits its work to. Not part of
// opwright/opwright.h: kernels for devices with streams include it.
#pragma once

#include <cstdint>

#include "opwright/device.h"
#include "opwright/registration/operator_handle.h"

namespace opwright OPWRIGHT_VISIBILITY {
// The host's stream of this thread for `device`, e.g. a cudaStream_t; null is the default one, also
// on devices without streams. Work that a kernel queues there is in order with the host's work
// before and after it. Throws RuntimeError for a device that the host does not run.
inline void* current_stream(Device device) {
  const auto stream = imported<"opwright::current_stream", int64_t(Device)>(device);
  return reinterpret_cast<void*>(static_cast<intptr_t>(stream));
}
}  // namespace opwright
