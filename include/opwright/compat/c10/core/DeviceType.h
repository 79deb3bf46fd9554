// c10::DeviceType: the numbers are DLPack's.
#pragma once

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/device.h"
#include "opwright/error.h"

namespace c10 OPWRIGHT_VISIBILITY {
enum class DeviceType : int32_t {
  CPU = kOpwDeviceCpu,
  CUDA = kOpwDeviceCuda,
  OPENCL = kOpwDeviceOpenCl,
  Vulkan = kOpwDeviceVulkan,
  MPS = kOpwDeviceMps,
  HIP = kOpwDeviceRocm,
  XPU = kOpwDeviceXpu,
  PrivateUse1 = kOpwDevicePrivate,
  Meta = kOpwDeviceMeta,
  XLA = kOpwDeviceXla,
  IPU = kOpwDeviceIpu,
  HPU = kOpwDeviceHpu,
  COMPILE_TIME_MAX_DEVICE_TYPES = kOpwFirstPluginDevice,
};
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
inline constexpr DeviceType kMPS = DeviceType::MPS;
inline constexpr DeviceType kXPU = DeviceType::XPU;
inline constexpr DeviceType kMeta = DeviceType::Meta;
inline constexpr DeviceType kXLA = DeviceType::XLA;
inline constexpr DeviceType kPrivateUse1 = DeviceType::PrivateUse1;

using DeviceIndex = int32_t;

// "cpu", "cuda", ...; empty for a type that not every host has.
constexpr const char* device_type_name(DeviceType type) {
  const char* name = opwright::device_name_or_null(static_cast<int32_t>(type));
  return name ? name : "";
}
// In upper case by default.
inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  std::string name = device_type_name(type);
  if (!lower_case) {
    for (char& letter : name)
      letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return name;
}
// The device of a dispatch key such as "CPU" or "PrivateUse1".
inline DeviceType device_type_of_key(std::string_view key) {
  constexpr std::pair<std::string_view, DeviceType> kKeys[] = {
      {"CPU", DeviceType::CPU},
      {"CUDA", DeviceType::CUDA},
      {"MPS", DeviceType::MPS},
      {"XPU", DeviceType::XPU},
      {"XLA", DeviceType::XLA},
      {"IPU", DeviceType::IPU},
      {"HPU", DeviceType::HPU},
      {"Meta", DeviceType::Meta},
      {"PrivateUse1", DeviceType::PrivateUse1}};
  for (const auto& [name, type] : kKeys) {
    if (name == key) return type;
  }
  opwright::throw_error("ValueError", "there is no dispatch key of a device '", std::string(key),
                        "'");
}
}  // namespace c10
namespace at OPWRIGHT_VISIBILITY {
using namespace c10;
}  // namespace at
