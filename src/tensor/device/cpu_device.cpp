#include "opwright/tensor/device/cpu_device.h"

#include <cstdint>
#include <cstring>

#include "opwright/base/large_memory.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright {
namespace {

constexpr size_t kAddressSpace = size_t{1} << 47;  // malloc cannot return more

int fail(const OpwHost* host, const char* kind, const char* text) {
  host->give_error(host, Error(kind, text).share());
  return 1;
}

int32_t count() { return 1; }
int32_t current() { return 0; }

int set_current(const OpwHost* host, int32_t index) {
  return index == 0 ? 0 : fail(host, "IndexError", "the only cpu device is cpu:0");
}

int allocate(const OpwHost* host, int32_t /*index*/, size_t bytes, OpwStream* /*stream*/,
             void** memory) {
  *memory = nullptr;
  if (bytes <= kAddressSpace) *memory = allocate_large_memory(bytes);
  return *memory ? 0 : fail(host, "MemoryError", "out of memory");
}

void free_memory(int32_t /*index*/, void* memory, size_t bytes, OpwStream* /*stream*/) {
  free_large_memory(memory, bytes);
}

int copy(const OpwHost* /*host*/, void* to, OpwDevice /*to_device*/, const void* from,
         OpwDevice /*from_device*/, size_t bytes, OpwStream* /*stream*/) {
  std::memcpy(to, from, bytes);
  return 0;
}

int synchronize_cpu(const OpwHost* /*host*/, int32_t /*index*/) { return 0; }

constexpr OpwDeviceTable make_table() {
  OpwDeviceTable table{};
  table.struct_size = sizeof(OpwDeviceTable);
  table.name = "cpu";
  table.type = kOpwDeviceCpu;
  table.count = &count;
  table.current = &current;
  table.set_current = &set_current;
  table.allocate = &allocate;
  table.free = &free_memory;
  table.copy = &copy;
  table.synchronize = &synchronize_cpu;
  return table;
}

}  // namespace

constinit const OpwDeviceTable kCpuDevice = make_table();

}  // namespace opwright
