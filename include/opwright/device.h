// The device of a tensor's memory. The host's device table resolves device names.
#pragma once

#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright OPWRIGHT_VISIBILITY {
struct Device {
  int32_t type = kOpwDeviceCpu;
  int32_t index = -1;  // -1: the current one of its type

  constexpr Device() = default;
  constexpr explicit Device(int32_t device_type, int32_t device_index = -1)
      : type(device_type), index(device_index) {}
  constexpr Device(OpwDevice device)
      : type(device.type), index(device.index) {}                 // NOLINT: the same type in C
  constexpr operator OpwDevice() const { return {type, index}; }  // NOLINT
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

inline constexpr Device kCpu{kOpwDeviceCpu, 0};

// Types with a single device, named without an index.
constexpr bool has_one_device(int32_t type) {
  return type == kOpwDeviceCpu || type == kOpwDeviceMeta;
}

struct DeviceName {
  int32_t type;
  const char* name;
};
// The types that every host knows by name, whether or not anything runs on them.
inline constexpr DeviceName kDeviceNames[] = {
    {kOpwDeviceCpu, "cpu"},       {kOpwDeviceCuda, "cuda"},
    {kOpwDeviceOpenCl, "opencl"}, {kOpwDeviceVulkan, "vulkan"},
    {kOpwDeviceMps, "mps"},       {kOpwDeviceRocm, "rocm"},
    {kOpwDeviceXpu, "xpu"},       {kOpwDevicePrivate, "privateuse1"},
    {kOpwDeviceMeta, "meta"},     {kOpwDeviceXla, "xla"},
    {kOpwDeviceIpu, "ipu"},       {kOpwDeviceHpu, "hpu"},
};

constexpr const char* device_name_or_null(int32_t type) {
  for (const DeviceName& entry : kDeviceNames) {
    if (entry.type == type) return entry.name;
  }
  return nullptr;
}
#ifdef OPWRIGHT_CORE
// Also knows the names of plug-ins (src/tensor/device/device_table.cpp).
OPWRIGHT_EXPORT void append_text(std::string& out, Device device);
#else
inline void append_text(std::string& out, Device device) {
  const char* name = device_name_or_null(device.type);
  out.append(name ? std::string(name) : concatenate("device", device.type));
  if (device.index >= 0 && !(has_one_device(device.type) && device.index == 0)) {
    out.push_back(':');
    append_text(out, device.index);
  }
}
#endif
}  // namespace opwright
