#include "devices/opencl/device.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <CL/cl.h>

#include "devices/opencl/loader.h"
#include "devices/opencl/stream.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::opencl {
namespace {

constexpr const char* kPlatformVariable = "OPWRIGHT_OPENCL_PLATFORM";

struct Devices {
  std::vector<std::unique_ptr<Device>> list;
  std::string problem;  // why the list is empty
};

// A runtime's threads do not survive a fork.
std::atomic<bool> is_forked = false;

thread_local int32_t current_index = 0;

template <class Number>
Number device_number(cl_device_id id, cl_device_info key) {
  Number number{};
  check_status(
      opencl().clGetDeviceInfo(id, key, sizeof number, static_cast<void*>(&number), nullptr),
      "clGetDeviceInfo");
  return number;
}

std::string platform_name(cl_platform_id platform) {
  char name[256] = "";
  opencl().clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  return name;
}

bool contains(std::string_view text, std::string_view part) {
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), is_same) != text.end();
}

// "OpenCL 3.0 PoCL ..." has at least version 2, and memory that device and host share by address.
bool is_usable(cl_device_id id) {
  const std::string version = device_text(id, CL_DEVICE_VERSION);
  if (version.size() < 8 || version[7] < '2') return false;
  cl_device_svm_capabilities capabilities = 0;
  const cl_int status = opencl().clGetDeviceInfo(id, CL_DEVICE_SVM_CAPABILITIES,
                                                 sizeof capabilities, &capabilities, nullptr);
  return status == CL_SUCCESS && (capabilities & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER) != 0;
}

std::vector<cl_platform_id> list_platforms() {
  cl_uint count = 0;
  if (opencl().clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> platforms(count);
  if (count != 0) opencl().clGetPlatformIDs(count, platforms.data(), nullptr);
  return platforms;
}

void add_devices(Devices& devices, cl_platform_id platform) {
  cl_uint count = 0;
  opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  std::vector<cl_device_id> ids(count);
  if (count != 0) opencl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr);
  for (cl_device_id id : ids) {
    if (!is_usable(id)) continue;
    devices.list.push_back(std::make_unique<Device>(static_cast<int32_t>(devices.list.size()), id));
  }
}

void find_devices(Devices& devices) {
  devices.problem = loader().problem;
  if (!devices.problem.empty()) return;
  const std::vector<cl_platform_id> platforms = list_platforms();
  if (platforms.empty()) {
    devices.problem =
        "the ICD loader knows no platform; install a runtime (Debian: pocl-opencl-icd)";
    return;
  }
  const char* wanted = std::getenv(kPlatformVariable);
  std::string names;
  bool is_chosen = false;
  for (cl_platform_id platform : platforms) {
    const std::string name = platform_name(platform);
    names += (names.empty() ? "'" : ", '") + name + "'";
    if (wanted != nullptr && !contains(name, wanted)) continue;
    is_chosen = true;
    add_devices(devices, platform);
  }
  if (!is_chosen) {
    devices.problem =
        concatenate(kPlatformVariable, " is '", wanted, "', but the platforms are ", names);
  } else if (devices.list.empty()) {
    devices.problem = concatenate("no device of the platforms ", names,
                                  " has OpenCL 2.0 and shared virtual memory");
  }
}

const Devices& all_devices() {
  static const Devices* const devices = [] {
    auto* found = new Devices;
    try {
      find_devices(*found);
    } catch (const Error& error) {
      found->list.clear();
      found->problem = error.text();
    }
    pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
    return found;
  }();
  return *devices;
}

std::string property_text(Device& device, std::string_view key) {
  if (key == "name") return device_text(device.id(), CL_DEVICE_NAME);
  if (key == "vendor") return device_text(device.id(), CL_DEVICE_VENDOR);
  if (key == "driver_version") return device_text(device.id(), CL_DRIVER_VERSION);
  if (key == "version") return device_text(device.id(), CL_DEVICE_VERSION);
  if (key == "extensions") return device_text(device.id(), CL_DEVICE_EXTENSIONS);
  if (key == "total_memory")
    return std::to_string(device_number<cl_ulong>(device.id(), CL_DEVICE_GLOBAL_MEM_SIZE));
  if (key == "free_memory") {
    const auto total = device_number<cl_ulong>(device.id(), CL_DEVICE_GLOBAL_MEM_SIZE);
    return std::to_string(static_cast<int64_t>(total) - device.memory().statistic("reserved"));
  }
  if (key == "compute_units") return std::to_string(device.compute_units());
  if (key == "platform")
    return platform_name(device_number<cl_platform_id>(device.id(), CL_DEVICE_PLATFORM));
  return {};
}

cl_context make_context(cl_device_id id) {
  cl_int status = CL_SUCCESS;
  cl_context context = opencl().clCreateContext(nullptr, 1, &id, nullptr, nullptr, &status);
  check_status(status, "clCreateContext");
  return context;
}

// For the generated kernels. Compilers warn about casts and comparisons that have no effect for
// some dtypes, and runtimes print that to the user.
std::string choose_build_options(cl_device_id id) {
  const auto config = device_number<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  const bool is_exact = (config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return is_exact ? "-w -cl-fp32-correctly-rounded-divide-sqrt" : "-w";
}

}  // namespace

std::string device_text(cl_device_id id, cl_device_info key) {
  size_t size = 0;
  check_status(opencl().clGetDeviceInfo(id, key, 0, nullptr, &size), "clGetDeviceInfo");
  std::string text(size, '\0');
  check_status(opencl().clGetDeviceInfo(id, key, size, text.data(), nullptr), "clGetDeviceInfo");
  text.resize(std::strlen(text.c_str()));
  return text;
}

Device::Device(int32_t index, cl_device_id id)
    : index_(index),
      id_(id),
      context_(make_context(id)),
      queue_(make_queue(context_, id)),
      has_double_(opencl::contains(device_text(id, CL_DEVICE_EXTENSIONS), "cl_khr_fp64")),
      has_long_atomics_(
          opencl::contains(device_text(id, CL_DEVICE_EXTENSIONS), "cl_khr_int64_base_atomics")),
      compute_units_(device_number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS)),
      build_options_(choose_build_options(id)),
      memory_(index, context_, device_number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE),
              device_number<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE)),
      kernels_(context_, id) {}

void Device::add_stream(OpwStream* stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void Device::remove_stream(OpwStream* stream) {
  const std::lock_guard lock(mutex_);
  std::erase(streams_, stream);
}

void Device::finish_all() {
  finish(queue_);
  const std::lock_guard lock(mutex_);
  for (const OpwStream* stream : streams_) finish(stream->queue);
}

Device& find_device(int32_t index) {
  OPWRIGHT_CHECK(!is_forked,
                 "opencl: the device was used before this process was forked, and an OpenCL "
                 "runtime does not survive a fork; start the process with the method 'spawn'");
  const Devices& devices = all_devices();
  OPWRIGHT_CHECK(!devices.list.empty(), "opencl: there is no device: ", devices.problem);
  OPWRIGHT_CHECK(index >= 0 && static_cast<size_t>(index) < devices.list.size(),
                 "opencl: there is no device opencl:", index,
                 "; the last one is opencl:", devices.list.size() - 1);
  return *devices.list[static_cast<size_t>(index)];
}

Device* find_device_or_null(int32_t index) noexcept {
  if (is_forked || index < 0) return nullptr;
  const Devices& devices = all_devices();
  const auto place = static_cast<size_t>(index);
  return place < devices.list.size() ? devices.list[place].get() : nullptr;
}

int32_t device_count() { return static_cast<int32_t>(all_devices().list.size()); }

int32_t current_device() { return current_index; }

void set_current_device(int32_t index) { current_index = find_device(index).index(); }

size_t device_property(int32_t index, const char* key, char* buffer, size_t capacity) {
  Device* device = find_device_or_null(index);
  if (device == nullptr) return 0;
  try {
    const std::string text = property_text(*device, key);
    if (capacity != 0) {
      const size_t length = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), length);
      buffer[length] = '\0';
    }
    return text.size();
  } catch (...) {
    return 0;
  }
}

}  // namespace opwright::opencl
