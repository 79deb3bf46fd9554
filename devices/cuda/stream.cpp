#include "devices/cuda/stream.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/primitives.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

// The type behind the table's event handles.
struct OpwEvent {
  cudaEvent_t event;
  int32_t index;
};

namespace opwright::cuda {
namespace {

constinit thread_local std::array<OpwStream*, kMostDevices> current_streams{};

bool is_index(int32_t index) { return index >= 0 && index < kMostDevices; }

struct Streams {
  std::mutex mutex;
  std::unordered_map<OpwStream*, int> priorities;  // of all streams
  std::map<int, std::vector<OpwStream*>> unused;   // by priority
};
struct Events {
  std::mutex mutex;
  std::vector<OpwEvent*> unused;
};

// Never freed: a tensor may be freed on a stream after every static destructor.
Streams& streams_of(int32_t index) {
  static auto* all = new std::array<Streams, kMostDevices>;
  return (*all)[static_cast<size_t>(index)];
}
Events& events_of(int32_t index) {
  static auto* all = new std::array<Events, kMostDevices>;
  return (*all)[static_cast<size_t>(index)];
}

// Lower numbers come first; the device supports a small range.
int nearest_priority(int32_t wanted, int32_t index) {
  int least = 0;
  int greatest = 0;
  check_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for priorities", index);
  return std::clamp(static_cast<int>(wanted), greatest, least);
}

OpwStream* take_stream(int32_t index, int priority) {
  Streams& streams = streams_of(index);
  {
    const std::lock_guard lock(streams.mutex);
    std::vector<OpwStream*>& unused = streams.unused[priority];
    if (!unused.empty()) {
      OpwStream* stream = unused.back();
      unused.pop_back();
      return stream;
    }
  }
  cudaStream_t made = nullptr;
  check_cuda(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, priority),
             "making a stream", index);
  auto* stream = reinterpret_cast<OpwStream*>(made);
  const std::lock_guard lock(streams.mutex);
  streams.priorities.emplace(stream, priority);
  return stream;
}

// The device is in use.
OpwEvent* take_event(int32_t index) {
  Events& events = events_of(index);
  {
    const std::lock_guard lock(events.mutex);
    if (!events.unused.empty()) {
      OpwEvent* event = events.unused.back();
      events.unused.pop_back();
      return event;
    }
  }
  cudaEvent_t made = nullptr;
  check_cuda(cudaEventCreate(&made), "making an event", index);
  return new OpwEvent{.event = made, .index = index};
}

}  // namespace

OpwStream* current_stream_of(int32_t index) noexcept {
  return is_index(index) ? current_streams[static_cast<size_t>(index)] : nullptr;
}

void order_streams(int32_t earlier_index, OpwStream* earlier, int32_t later_index,
                   OpwStream* later) {
  OpwEvent* event = nullptr;
  cudaError_t status = cudaSuccess;
  {
    const DeviceScope scope(earlier_index);
    event = take_event(earlier_index);
    status = cudaEventRecord(event->event, cuda_stream(earlier));
  }
  if (status == cudaSuccess) {
    const DeviceScope scope(later_index);
    status = cudaStreamWaitEvent(cuda_stream(later), event->event, 0);
  }
  free_event_cuda(event);
  check_cuda(status, "putting two streams in order", later_index);
}

// ---- Streams ----

OpwStream* current_stream_cuda(int32_t index) { return current_stream_of(index); }

OpwStream* set_current_stream_cuda(int32_t index, OpwStream* stream) {
  if (!is_index(index)) return nullptr;
  return std::exchange(current_streams[static_cast<size_t>(index)], stream);
}

int new_stream_cuda(const OpwHost* host, int32_t index, int32_t priority, OpwStream** stream) {
  return run_on(host, index,
                [&] { *stream = take_stream(index, nearest_priority(priority, index)); });
}

void free_stream_cuda(int32_t index, OpwStream* stream) {
  if (!stream || !is_index(index) || is_in_forked_process()) return;
  Streams& streams = streams_of(index);
  const std::lock_guard lock(streams.mutex);
  const auto found = streams.priorities.find(stream);
  if (found != streams.priorities.end()) streams.unused[found->second].push_back(stream);
}

int synchronize_cuda(const OpwHost* host, int32_t index) {
  return run_on(host, index, [&] {
    check_cuda(cudaDeviceSynchronize(), "waiting for the device", index);
    throw_index_fault(index);
  });
}

int synchronize_stream_cuda(const OpwHost* host, int32_t index, OpwStream* stream) {
  return run_on(host, index, [&] {
    check_cuda(cudaStreamSynchronize(cuda_stream(stream)), "waiting for a stream", index);
    throw_index_fault(index);
  });
}

// ---- Events ----

int record_event_cuda(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent** event) {
  return run_on(host, index, [&] {
    OpwEvent* taken = take_event(index);
    const cudaError_t status = cudaEventRecord(taken->event, cuda_stream(stream));
    if (status != cudaSuccess) free_event_cuda(taken);
    check_cuda(status, "recording an event", index);
    *event = taken;
  });
}

int wait_event_cuda(const OpwHost* host, int32_t index, OpwStream* stream, OpwEvent* event) {
  return run_on(host, index, [&] {
    check_cuda(cudaStreamWaitEvent(cuda_stream(stream), event->event, 0),
               "making a stream wait for an event", index);
  });
}

int synchronize_event_cuda(const OpwHost* host, OpwEvent* event) {
  return run_on(host, event->index, [&] {
    check_cuda(cudaEventSynchronize(event->event), "waiting for an event", event->index);
    throw_index_fault(event->index);
  });
}

int query_event_cuda(const OpwHost* host, OpwEvent* event, int32_t* has_come) {
  return run_on(host, event->index, [&] {
    const cudaError_t status = cudaEventQuery(event->event);
    *has_come = status == cudaSuccess ? 1 : 0;
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // clear it, so that no later call reports it
    } else {
      check_cuda(status, "asking for an event", event->index);
    }
  });
}

int event_time_cuda(const OpwHost* host, OpwEvent* from, OpwEvent* to, double* milliseconds) {
  return run_on(host, from->index, [&] {
    OPWRIGHT_CHECK_VALUE(from->index == to->index, "the first event is of cuda:", from->index,
                         " and the second of cuda:", to->index,
                         ": a time lies between events of one device");
    float time = 0;
    const cudaError_t status = cudaEventElapsedTime(&time, from->event, to->event);
    if (status == cudaErrorNotReady) cudaGetLastError();
    OPWRIGHT_CHECK(status != cudaErrorNotReady,
                   "the time between two events is known when both have come: synchronize the"
                   " second one first");
    check_cuda(status, "asking for the time between two events", from->index);
    *milliseconds = static_cast<double>(time);
  });
}

void free_event_cuda(OpwEvent* event) {
  if (!event || is_in_forked_process()) return;
  Events& events = events_of(event->index);
  const std::lock_guard lock(events.mutex);
  events.unused.push_back(event);
}

}  // namespace opwright::cuda
