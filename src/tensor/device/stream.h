// Ordered work on devices: streams, events, and copies between memories.
//
// Status codes of plug-ins become Errors here. A device without streams (cpu) has finished its work
// when a call returns, so its stream is null, its events are empty and waiting does nothing.
#pragma once

#include <cstddef>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/visibility.h"

namespace opwright {

[[nodiscard]] OPWRIGHT_EXPORT bool has_streams(Device device);
// The stream that this thread queues work on; null is the device's default one.
[[nodiscard]] OPWRIGHT_EXPORT OpwStream* current_device_stream(Device device);
// Waits for all work on the device.
OPWRIGHT_EXPORT void synchronize(Device device);
// Waits for the work queued on `stream` so far.
OPWRIGHT_EXPORT void synchronize_stream(Device device, OpwStream* stream);
// Copies dense bytes between any two devices, through the cpu if neither can copy to the other
// directly. Ordered on the current stream; a copy to or from cpu memory is done when the call
// returns.
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

// A point in the work of a stream.
class OPWRIGHT_EXPORT Event {
 public:
  // After all work queued on `stream` so far.
  static Event record(Device device, OpwStream* stream);

  Event(Event&& other) noexcept;
  Event& operator=(Event&& other) noexcept;
  ~Event();

  // Makes later work on `stream`, on the same kind of device, wait for the event.
  void make_wait(Device device, OpwStream* stream) const;
  // Blocks this thread until the event has completed.
  void synchronize() const;
  // Whether all work before it is done. Throws NotImplementedError if the device cannot tell.
  [[nodiscard]] bool has_come() const;
  // The time from `earlier`, on the same kind of device, to this one; both have completed. Throws
  // NotImplementedError if the device does not measure time.
  [[nodiscard]] double milliseconds_since(const Event& earlier) const;

 private:
  Event(const OpwDeviceTable* table, OpwEvent* event) noexcept : table_(table), event_(event) {}

  const OpwDeviceTable* table_;
  OpwEvent* event_;  // null: nothing to wait for
};

// An owned stream.
class OPWRIGHT_EXPORT Stream {
 public:
  static Stream make(Device device, int32_t priority = 0);

  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  [[nodiscard]] OpwStream* get() const noexcept { return stream_; }

 private:
  Stream(const OpwDeviceTable* table, int32_t index, OpwStream* stream) noexcept
      : table_(table), index_(index), stream_(stream) {}

  const OpwDeviceTable* table_;
  int32_t index_;
  OpwStream* stream_;
};

// Makes `stream` the current one of this thread until the end of the scope.
class [[nodiscard]] StreamScope {
 public:
  StreamScope(Device device, OpwStream* stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  const OpwDeviceTable* table_;
  int32_t index_;
  OpwStream* previous_;
};

}  // namespace opwright
