// The device "plain": no more than a device must have. It has neither streams nor a compiler.
#include <cstdlib>
#include <cstring>

#include "opwright/plugin/device_plugin.h"

namespace {

constexpr OpwDeviceTable make_table() {
  OpwDeviceTable table = opwright::empty_device_table("plain");
  table.count = [] { return int32_t{1}; };
  table.current = [] { return int32_t{0}; };
  table.allocate = [](const OpwHost*, int32_t, size_t bytes, OpwStream*, void** memory) {
    *memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    return 0;
  };
  table.free = [](int32_t, void* memory, size_t, OpwStream*) { std::free(memory); };
  table.copy = [](const OpwHost*, void* to, OpwDevice, const void* from, OpwDevice, size_t bytes,
                  OpwStream*) {
    std::memmove(to, from, bytes);
    return 0;
  };
  table.synchronize = [](const OpwHost*, int32_t) { return 0; };
  return table;
}
constexpr OpwDeviceTable kTable = make_table();
OPWRIGHT_DEVICE(kTable);

}  // namespace
