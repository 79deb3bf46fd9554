// What every device must have, on memory of the cpu: neither streams nor a compiler.
#pragma once

#include <cstdlib>
#include <cstring>

#include "opwright/device_plugin.h"

constexpr OpwDeviceTable minimal_device_table(const char* name) {
  OpwDeviceTable table = opwright::empty_device_table(name);
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
