// The devices of this process: names, types, flag bits, and the functions of each device.
//
// A device is known by name before anything runs on it: the names of kDeviceNames always are, so
// that fake tensors on cuda can be traced on a machine without one. A plug-in adds the functions
// with register_device. Reading takes no lock; entries are never removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/visibility.h"

namespace opwright {

inline constexpr uint32_t kNumDeviceBits = 16;

// Adds a device and returns its type: the table's own or, if that is 0, the known type of its name,
// else a new one. The table is copied; its strings and functions must stay valid. Throws ValueError
// for an unusable table or for a name or type that is already registered.
int32_t register_device(const OpwDeviceTable& table);

// The device's functions. Functions past the end of a plug-in's table are null. Throws RuntimeError
// if nothing is registered for the type.
OPWRIGHT_EXPORT const OpwDeviceTable& device_table(int32_t type);
// The same, or null.
OPWRIGHT_EXPORT const OpwDeviceTable* find_device_table(int32_t type) noexcept;

// One of the low 16 bits of OpwTensor::flags, assigned at the first request; cpu has bit 0. Throws
// ValueError for a type without a name, RuntimeError for a seventeenth device.
uint32_t device_bit_slow(int32_t type);
inline uint32_t device_bit(int32_t type) {
  if (type == kOpwDeviceCpu) [[likely]]
    return 1;
  return device_bit_slow(type);
}
// The type that has `bit`. Throws ValueError if none has.
int32_t device_type_of_bit(uint32_t bit);

OPWRIGHT_EXPORT std::optional<int32_t> find_device_type(std::string_view name) noexcept;
// The name of a type, or null.
OPWRIGHT_EXPORT const char* find_device_name(int32_t type) noexcept;
// All names: those of kDeviceNames, then those of plug-ins in the order of registration.
OPWRIGHT_EXPORT std::vector<std::string> device_names();

// "cuda:1"; without an index, the device is the current one of its type (-1). Throws ValueError for
// anything else.
OPWRIGHT_EXPORT Device parse_device(std::string_view text);
// The inverse of parse_device; "cpu" and "meta" without their index.
OPWRIGHT_EXPORT std::string device_text(Device device);

// The text of a named property; nullopt: the device does not report it. Throws RuntimeError if
// nothing is registered for the type.
OPWRIGHT_EXPORT std::optional<std::string> device_property(Device device, const char* key);

// The device with its index filled in. If the device is registered, throws IndexError for an index
// that does not exist, with the plug-in's "problem" text.
OPWRIGHT_EXPORT Device resolve_device_slow(Device device);
inline Device resolve_device(Device device) {
  if (device.type == kOpwDeviceCpu && device.index <= 0 && device.index >= -1) [[likely]]
    return kCpu;
  return resolve_device_slow(device);
}

}  // namespace opwright
