#include "devices/cuda/device.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/driver.h"
#include "devices/cuda/error_text.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

constexpr int kRuntimeVersion = CUDART_VERSION;

struct Driver {
  int32_t count = 0;
  AbsenceFacts absence;
};

std::atomic<bool> is_forked{false};
// On this thread: the device last set in the runtime, and the table's current device.
constinit thread_local int32_t device_of_runtime = -1;
constinit thread_local int32_t device_of_table = 0;

AbsenceFacts facts_of(cudaError_t status) {
  AbsenceFacts facts{.absence = Absence::Other, .needed = kRuntimeVersion};
  facts.problem = cudaGetErrorString(status);
  if (cudaDriverGetVersion(&facts.driver) != cudaSuccess) facts.driver = 0;
  if (status == cudaErrorInsufficientDriver || status == cudaErrorStubLibrary) {
    facts.absence = facts.driver == 0 ? Absence::NoDriver : Absence::OldDriver;
  } else if (status == cudaErrorNoDevice) {
    facts.absence = Absence::NoDevice;
  }
  cudaGetLastError();  // clear it, so that no later call reports it
  return facts;
}

Driver start_driver() {
  Driver driver;
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaSuccess && count > 0) {
    driver.count = count > kMostDevices ? kMostDevices : count;
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  } else {
    driver.absence = facts_of(status == cudaSuccess ? cudaErrorNoDevice : status);
  }
  return driver;
}

const Driver& driver() {
  static const Driver started = start_driver();
  return started;
}

bool is_fault(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorECCUncorrectable:
      return true;
    default:
      return false;
  }
}

bool waits_for_calls() {
  const char* text = std::getenv("OPWRIGHT_SYNCHRONIZE");
  return text && std::string_view(text) != "" && std::string_view(text) != "0";
}

int attribute_of(int32_t index, cudaDeviceAttr attribute) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, attribute, index), "asking for a limit", index);
  return value;
}

DeviceLimits read_limits(int32_t index) {
  DeviceLimits limits{};
  limits.multiprocessors = attribute_of(index, cudaDevAttrMultiProcessorCount);
  limits.threads_per_multiprocessor = attribute_of(index, cudaDevAttrMaxThreadsPerMultiProcessor);
  limits.shared_bytes_per_block = attribute_of(index, cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits.capability = attribute_of(index, cudaDevAttrComputeCapabilityMajor) * 10 +
                      attribute_of(index, cudaDevAttrComputeCapabilityMinor);
  limits.cache_bytes = attribute_of(index, cudaDevAttrL2CacheSize);
  return limits;
}

}  // namespace

// ---- Errors ----

void throw_cuda_error(cudaError_t status, const char* what, int32_t index) {
  const int32_t device = index >= 0 ? index : device_of_table;
  cudaGetLastError();  // clear it, so that no later call reports it; a fault stays
  if (is_fault(status)) {
    throw Error("RuntimeError",
                fault_text(device, cudaGetErrorString(status), what, waits_for_calls()));
  }
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction) {
    throw Error("RuntimeError", no_code_text(device, device_limits(device).capability));
  }
  const char* kind = status == cudaErrorMemoryAllocation ? "MemoryError" : "RuntimeError";
  throw_error(kind, what, " on cuda:", device, " failed: ", cudaGetErrorString(status));
}

void check_launch(const char* kernel, int32_t index) {
  const cudaError_t status = cudaGetLastError();
  if (status != cudaSuccess) [[unlikely]]
    throw_cuda_error(status, concatenate("launching the kernel '", kernel, "'").c_str(), index);
}

// ---- The device of a call ----

int32_t device_count() noexcept { return driver().count; }

bool is_in_forked_process() noexcept { return is_forked.load(std::memory_order_relaxed); }

std::string absence_of_devices() { return absence_text(driver().absence); }

int32_t current_device() noexcept { return device_of_table; }

int32_t device_in_use() noexcept {
  return device_of_runtime >= 0 ? device_of_runtime : device_of_table;
}

void use_device(int32_t index) {
  // With one device, no other can have been made current.
  if (index == device_of_runtime && !is_in_forked_process() && driver().count == 1) [[likely]]
    return;
  OPWRIGHT_CHECK(!is_in_forked_process(), forked_text());
  const int32_t count = device_count();
  OPWRIGHT_CHECK(count > 0, "nothing runs on cuda here: ", absence_of_devices());
  OPWRIGHT_CHECK_INDEX(index >= 0 && index < count, "there is no cuda:", index,
                       ": this process sees ", count, count == 1 ? " device" : " devices");
  check_cuda(cudaSetDevice(index), "starting the device", index);
  device_of_runtime = index;
}

void set_current_device(int32_t index) {
  use_device(index);
  device_of_table = index;
}

void DeviceScope::return_to(int32_t index) noexcept {
  if (is_in_forked_process()) return;
  if (cudaSetDevice(index) == cudaSuccess) device_of_runtime = index;
}

const DeviceLimits& device_limits(int32_t index) {
  static std::array<std::once_flag, kMostDevices> asked;
  static std::array<DeviceLimits, kMostDevices> limits;
  const auto place = static_cast<size_t>(index);
  std::call_once(asked[place], [&] { limits[place] = read_limits(index); });
  return limits[place];
}

}  // namespace opwright::cuda
