#include "devices/cuda/property.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/cublas_lt.h"
#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/error_text.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

std::string device_name(int32_t index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "asking for properties", index);
  return properties.name;
}

std::string memory_of_device(int32_t index, bool is_total) {
  size_t free = 0;
  size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for the free memory", index);
  return concatenate(is_total ? total : free);
}

std::string driver_version() {
  int version = 0;
  check_cuda(cudaDriverGetVersion(&version), "asking for the driver's version");
  return version == 0 ? std::string() : version_text(version);
}

std::string property_of_device(int32_t index, std::string_view key) {
  if (key == "name") return device_name(index);
  if (key == "total_memory") return memory_of_device(index, /*is_total=*/true);
  if (key == "free_memory") return memory_of_device(index, /*is_total=*/false);
  if (key == "multiprocessors") return concatenate(device_limits(index).multiprocessors);
  if (key == "capability") {
    const int32_t capability = device_limits(index).capability;
    return concatenate(capability / 10, ".", capability % 10);
  }
  return {};
}

std::string property_text(int32_t index, std::string_view key) {
  if (key == "runtime_version") return version_text(CUDART_VERSION);
  if (key == "matmul") return description_of_products();
  if (is_in_forked_process()) return key == "problem" ? forked_text() : std::string();
  if (key == "problem") return absence_of_devices();
  if (key == "driver_version") return driver_version();
  if (index < 0 || index >= device_count()) return {};
  const DeviceScope scope(index);
  return property_of_device(index, key);
}

}  // namespace

size_t property_cuda(int32_t index, const char* key, char* buffer, size_t capacity) {
  try {
    const std::string text = property_text(index, key);
    if (capacity > 0) {
      const size_t copied = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), copied);
      buffer[copied] = '\0';
    }
    return text.size();
  } catch (const Error&) {
    return 0;  // a device that does not respond has no properties
  }
}

}  // namespace opwright::cuda
