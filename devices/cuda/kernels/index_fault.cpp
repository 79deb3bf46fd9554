#include "devices/cuda/kernels/index_fault.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include <cuda_runtime_api.h>

#include "devices/cuda/device.h"
#include "devices/cuda/primitives.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

constexpr size_t kMostFaultDevices = 64;

// Null if no kernel of the device has used indices so far.
std::array<std::atomic<IndexFault*>, kMostFaultDevices> faults{};
std::mutex making;

}  // namespace

IndexFault* index_fault(int32_t device) {
  std::atomic<IndexFault*>& place = faults.at(static_cast<size_t>(device));
  if (IndexFault* fault = place.load(std::memory_order_acquire)) return fault;
  const std::lock_guard lock(making);
  if (IndexFault* fault = place.load(std::memory_order_acquire)) return fault;
  void* memory = nullptr;
  check_cuda(
      cudaHostAlloc(&memory, sizeof(IndexFault), cudaHostAllocPortable | cudaHostAllocMapped),
      "allocating pinned memory", device);
  auto* fault = new (memory) IndexFault{};
  place.store(fault, std::memory_order_release);
  return fault;
}

void throw_index_fault(int32_t device) {
  if (device < 0 || static_cast<size_t>(device) >= kMostFaultDevices) return;
  IndexFault* fault = faults[static_cast<size_t>(device)].load(std::memory_order_acquire);
  if (!fault) return;
  std::atomic_ref<int32_t> is_set(fault->is_set);
  if (is_set.load(std::memory_order_acquire) == 0) return;
  const int64_t value = fault->value;
  const int64_t size = fault->size;
  is_set.store(0, std::memory_order_release);
  throw_error("IndexError", "an index on cuda:", device, " was ", value,
              ", outside of a dimension of size ", size,
              "; the call that used it returned before, and its results are not all written");
}

}  // namespace opwright::cuda
