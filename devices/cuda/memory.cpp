#include "devices/cuda/memory.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/allocator.h"
#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/error_text.h"
#include "devices/cuda/pinned.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

// The allocator calls it under its lock, so the events need no other.
class CudaMemory final : public DeviceMemory {
 public:
  explicit CudaMemory(int32_t index) : index_(index) {}

  void* allocate(size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t status = cudaMalloc(&memory, bytes);
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // clear it, so that no later call reports it
      return nullptr;
    }
    check_cuda(status, "allocating memory", index_);
    return memory;
  }

  void free(void* memory) override {
    // A status here comes from earlier work, and the next call reports it.
    cudaFree(memory);
  }

  void* record_event(OpwStream* stream) override {
    try {
      const DeviceScope scope(index_);
      cudaEvent_t event = nullptr;
      if (!unused_.empty()) {
        event = unused_.back();
        unused_.pop_back();
      } else if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) {
        return nullptr;
      }
      if (cudaEventRecord(event, cuda_stream(stream)) == cudaSuccess) return event;
      unused_.push_back(event);
    } catch (const Error&) {
      // The device is unusable: nothing runs there that could use the memory.
    }
    return nullptr;
  }

  bool has_come(void* event, bool waits) override {
    const auto handle = static_cast<cudaEvent_t>(event);
    const cudaError_t status = waits ? cudaEventSynchronize(handle) : cudaEventQuery(handle);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();
      return false;
    }
    unused_.push_back(handle);
    return true;
  }

 private:
  int32_t index_;
  std::vector<cudaEvent_t> unused_;
};

struct MemoryOfDevice {
  explicit MemoryOfDevice(int32_t index) : memory(index), allocator(memory) {}

  CudaMemory memory;
  Allocator allocator;
};

// Created on the first allocation and never freed: tensors may outlive every static destructor.
std::array<std::atomic<MemoryOfDevice*>, kMostDevices> memories{};

MemoryOfDevice* find_memory(int32_t index) noexcept {
  if (index < 0 || index >= kMostDevices) return nullptr;
  return memories[static_cast<size_t>(index)].load(std::memory_order_acquire);
}

MemoryOfDevice& memory_of(int32_t index) {
  if (MemoryOfDevice* found = find_memory(index)) [[likely]]
    return *found;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (MemoryOfDevice* found = find_memory(index)) return *found;
  auto* made = new MemoryOfDevice(index);
  memories[static_cast<size_t>(index)].store(made, std::memory_order_release);
  return *made;
}

[[noreturn, gnu::cold]] void throw_no_room(int32_t index, Allocator& allocator) {
  size_t free = 0;
  size_t total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "asking for the free memory", index);
  const AllocatorStatistics statistics = allocator.statistics();
  throw Error("MemoryError",
              no_room_text(index, {.total = total,
                                   .free = free,
                                   .allocated = static_cast<size_t>(statistics.allocated),
                                   .cached = static_cast<size_t>(statistics.reserved -
                                                                 statistics.allocated)}));
}

}  // namespace

void* allocate_memory(int32_t index, size_t bytes, OpwStream* stream) {
  Allocator& allocator = memory_of(index).allocator;
  void* memory = allocator.allocate(bytes, stream);
  if (!memory) [[unlikely]]
    throw_no_room(index, allocator);
  return memory;
}

void free_memory(int32_t index, void* memory, OpwStream* stream) noexcept {
  MemoryOfDevice* found = find_memory(index);
  if (found && memory && !is_in_forked_process()) found->allocator.free(memory, stream);
}

int allocate_cuda(const OpwHost* host, int32_t index, size_t bytes, OpwStream* stream,
                  void** memory) {
  return run_on(host, index, [&] { *memory = allocate_memory(index, bytes, stream); });
}

void free_cuda(int32_t index, void* memory, size_t /*bytes*/, OpwStream* stream) {
  free_memory(index, memory, stream);
}

void empty_cache_cuda(int32_t index) {
  if (is_in_forked_process()) return;
  if (MemoryOfDevice* found = find_memory(index)) found->allocator.empty_cache();
  empty_pinned_cache();
}

int64_t statistic_cuda(int32_t index, const char* key) {
  if (is_in_forked_process()) return -1;
  if (const std::optional<int64_t> pinned = pinned_statistic(key)) return *pinned;
  MemoryOfDevice* found = find_memory(index);
  return statistic_of(found ? found->allocator.statistics() : AllocatorStatistics{}, key)
      .value_or(-1);
}

void reset_peaks_cuda(int32_t index) {
  if (is_in_forked_process()) return;
  if (MemoryOfDevice* found = find_memory(index)) found->allocator.reset_peaks();
}

// ---- Temporary memory for a call ----

Workspace::Workspace(int32_t index, size_t bytes, OpwStream* stream)
    : index_(index),
      stream_(stream),
      data_(bytes == 0 ? nullptr : allocate_memory(index, bytes, stream)) {}

Workspace::~Workspace() { free_memory(index_, data_, stream_); }

}  // namespace opwright::cuda
