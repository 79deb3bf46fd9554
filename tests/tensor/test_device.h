// "test": a plug-in device that uses malloc, whose streams and events only count.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/error.h"
#include "opwright/tensor/device/device_table.h"

namespace opwright::testing {

struct TestDeviceCounts {
  int64_t live_blocks = 0;
  int64_t copies = 0;
  int64_t synchronisations = 0;
  int64_t live_streams = 0;
  int64_t live_events = 0;
  int64_t recorded_events = 0;
  OpwStream* allocated_on = nullptr;
  OpwStream* recorded_on = nullptr;
  OpwStream* waiting_stream = nullptr;
};

class TestDevice {
 public:
  static constexpr size_t kMemory = size_t{1} << 30;  // more cannot be allocated
  static inline TestDeviceCounts counts;
  static inline OpwStream* current = nullptr;
  static inline int32_t current_index = 0;

  // Registers the device on first use.
  static Device device(int32_t index = 0) {
    static const int32_t type = register_device(kTable);
    return Device(type, index);
  }
  static OpwStream* stream(uintptr_t number) { return reinterpret_cast<OpwStream*>(number); }

  static const OpwDeviceTable kTable;

 private:
  static int fail(const OpwHost* host, const char* kind, const char* text) {
    host->give_error(host, Error(kind, text).share());
    return 1;
  }
  static int allocate(const OpwHost* host, int32_t, size_t bytes, OpwStream* stream,
                      void** memory) {
    if (bytes > kMemory) return fail(host, "MemoryError", "the test device has 1 GiB");
    counts.allocated_on = stream;
    ++counts.live_blocks;
    *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    return 0;
  }
  static void free_memory(int32_t, void* memory, size_t, OpwStream*) {
    --counts.live_blocks;
    std::free(memory);
  }
  static int copy(const OpwHost*, void* to, OpwDevice, const void* from, OpwDevice, size_t bytes,
                  OpwStream*) {
    ++counts.copies;
    std::memcpy(to, from, bytes);
    return 0;
  }
  static int synchronize(const OpwHost* host, int32_t index) {
    if (index == 1) return fail(host, "RuntimeError", "test:1 is broken");
    ++counts.synchronisations;
    return 0;
  }
  static int new_stream(const OpwHost*, int32_t, int32_t, OpwStream** stream) {
    *stream = TestDevice::stream(static_cast<uintptr_t>(100 + ++counts.live_streams));
    return 0;
  }
  static int record_event(const OpwHost*, int32_t, OpwStream* stream, OpwEvent** event) {
    counts.recorded_on = stream;
    ++counts.recorded_events;
    *event = reinterpret_cast<OpwEvent*>(++counts.live_events);
    return 0;
  }
  static int wait_event(const OpwHost*, int32_t, OpwStream* stream, OpwEvent*) {
    counts.waiting_stream = stream;
    return 0;
  }
};

inline const OpwDeviceTable TestDevice::kTable = [] {
  OpwDeviceTable table{};
  table.struct_size = sizeof(OpwDeviceTable);
  table.name = "test";
  table.type = 0;
  table.count = [] { return int32_t{2}; };
  table.current = [] { return current_index; };
  table.allocate = &allocate;
  table.free = &free_memory;
  table.copy = &copy;
  table.synchronize = &synchronize;
  table.current_stream = [](int32_t) { return current; };
  table.set_current_stream = [](int32_t, OpwStream* stream) {
    OpwStream* previous = current;
    current = stream;
    return previous;
  };
  table.new_stream = &new_stream;
  table.free_stream = [](int32_t, OpwStream*) { --counts.live_streams; };
  table.synchronize_stream = [](const OpwHost*, int32_t, OpwStream*) {
    ++counts.synchronisations;
    return 0;
  };
  table.record_event = &record_event;
  table.wait_event = &wait_event;
  table.synchronize_event = [](const OpwHost*, OpwEvent*) {
    ++counts.synchronisations;
    return 0;
  };
  table.free_event = [](OpwEvent*) { --counts.live_events; };
  return table;
}();

}  // namespace opwright::testing
