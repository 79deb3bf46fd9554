#include "tests/devices/cuda_runtime/fake_runtime/fake_runtime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

struct CUstream_st {
  int device;
  std::deque<std::function<cudaError_t()>> work;
};

struct CUevent_st {
  int device;
  CUstream_st* stream = nullptr;
  bool has_come = true;
  bool has_timing = true;
  int place = 0;  // in the order of all work
};

namespace opwright::fake_cuda {
namespace {

constexpr int kNumDevices = 2;
constexpr size_t kTotalBytes = size_t{1} << 30;

struct FakeDevice {
  CUstream_st legacy;
  std::vector<std::unique_ptr<CUstream_st>> streams;
  std::map<std::byte*, size_t> memory;
  size_t used = 0;
  cudaError_t fault = cudaSuccess;
};

std::array<FakeDevice, kNumDevices>& devices() {
  static auto* all = [] {
    auto* made = new std::array<FakeDevice, kNumDevices>;
    for (int i = 0; i < kNumDevices; ++i) (*made)[static_cast<size_t>(i)].legacy.device = i;
    return made;
  }();
  return *all;
}
std::map<const std::byte*, size_t> pinned_sizes;
int current = 0;
int num_events_that_came = 0;
cudaError_t last_error = cudaSuccess;

FakeDevice& current_device() { return devices()[static_cast<size_t>(current)]; }

CUstream_st& stream_of(cudaStream_t stream) { return stream ? *stream : current_device().legacy; }

cudaError_t give(cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}
cudaError_t fault() { return current_device().fault; }

void run_one(CUstream_st& stream) {
  const std::function<cudaError_t()> work = std::move(stream.work.front());
  stream.work.pop_front();
  FakeDevice& device = devices()[static_cast<size_t>(stream.device)];
  const cudaError_t status = work();
  if (status != cudaSuccess) device.fault = status;
}
void run_all(CUstream_st& stream) {
  while (!stream.work.empty()) run_one(stream);
}
void run_device(FakeDevice& device) {
  run_all(device.legacy);
  for (const auto& stream : device.streams) run_all(*stream);
}
void run_until(CUevent_st& event) {
  while (!event.has_come && !event.stream->work.empty()) run_one(*event.stream);
}

bool is_pinned(const void* memory) {
  const auto* place = static_cast<const std::byte*>(memory);
  auto after = pinned_sizes.upper_bound(place);
  if (after == pinned_sizes.begin()) return false;
  --after;
  return place < after->first + after->second;
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaStream_t stream) {
  queue_work(stream, [=] {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  });
  return cudaSuccess;
}

}  // namespace

void queue_work(cudaStream_t stream, std::function<cudaError_t()> work) {
  stream_of(stream).work.push_back(std::move(work));
}

}  // namespace opwright::fake_cuda

using namespace opwright::fake_cuda;  // NOLINT: the functions below are C's

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kNumDevices;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    default:
      return "made up error";
  }
}
cudaError_t cudaGetLastError() {
  return fault() != cudaSuccess ? fault() : std::exchange(last_error, cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  *value = attribute == cudaDevAttrComputeCapabilityMajor   ? 9
           : attribute == cudaDevAttrComputeCapabilityMinor ? 0
                                                            : 1024;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  std::strcpy(properties->name, "made up");
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  run_device(current_device());
  return give(fault());
}

// ---- Memory ----

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  FakeDevice& device = current_device();
  if (device.fault != cudaSuccess) return give(device.fault);
  if (bytes > kTotalBytes - device.used) return give(cudaErrorMemoryAllocation);
  auto* made = static_cast<std::byte*>(std::aligned_alloc(512, bytes));
  std::memset(made, 0xA5, bytes);
  device.memory.emplace(made, bytes);
  device.used += bytes;
  *memory = made;
  return cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  for (FakeDevice& device : devices()) {
    const auto found = device.memory.find(static_cast<std::byte*>(memory));
    if (found == device.memory.end()) continue;
    run_device(device);
    device.used -= found->second;
    device.memory.erase(found);
    std::free(memory);
    return give(device.fault);
  }
  return give(cudaErrorInvalidValue);
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *total = kTotalBytes;
  *free = kTotalBytes - current_device().used;
  return give(fault());
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned /*flags*/) {
  *memory = std::malloc(bytes);
  pinned_sizes.emplace(static_cast<const std::byte*>(*memory), bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  for (FakeDevice& device : devices()) run_device(device);
  pinned_sizes.erase(static_cast<const std::byte*>(memory));
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (fault() != cudaSuccess) return give(fault());
  if (kind == cudaMemcpyHostToDevice && !is_pinned(from)) {
    // Copied aside before the call returns.
    std::vector<std::byte> aside(bytes);
    std::memcpy(aside.data(), from, bytes);
    queue_work(stream, [to, aside = std::move(aside)] {
      std::memcpy(to, aside.data(), aside.size());
      return cudaSuccess;
    });
    return cudaSuccess;
  }
  return copy(to, from, bytes, stream);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  const auto has = [](int device, const void* memory) {
    const auto& blocks = devices()[static_cast<size_t>(device)].memory;
    auto after = blocks.upper_bound(
        const_cast<std::byte*>(static_cast<const std::byte*>(memory)));  // NOLINT
    return after != blocks.begin();
  };
  if (!has(to_device, to) || !has(from_device, from)) return give(cudaErrorInvalidValue);
  return copy(to, from, bytes, stream);
}

// ---- Streams ----

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/,
                                         int /*priority*/) {
  auto& streams = current_device().streams;
  streams.push_back(std::make_unique<CUstream_st>(CUstream_st{current, {}}));
  *stream = streams.back().get();
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CUstream_st& found = stream_of(stream);
  run_all(found);
  return give(devices()[static_cast<size_t>(found.device)].fault);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/) {
  queue_work(stream, [event] {
    run_until(*event);
    return cudaSuccess;
  });
  return cudaSuccess;
}

// ---- Events ----

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  *event = new CUevent_st{.device = current};
  (*event)->has_timing = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CUstream_st& found = stream_of(stream);
  if (found.device != event->device) return give(cudaErrorInvalidResourceHandle);
  event->has_come = false;
  event->stream = &found;
  found.work.emplace_back([event] {
    event->has_come = true;
    event->place = ++num_events_that_came;
    return cudaSuccess;
  });
  return give(fault());
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return give(event->has_come ? cudaSuccess : cudaErrorNotReady);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  run_until(*event);
  return give(devices()[static_cast<size_t>(event->device)].fault);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (!from->has_timing || !to->has_timing) return give(cudaErrorInvalidResourceHandle);
  if (!from->has_come || !to->has_come) return give(cudaErrorNotReady);
  *milliseconds = static_cast<float>(to->place - from->place);
  return cudaSuccess;
}

}  // extern "C"
