#include "devices/cuda/pinned.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>
#include <driver_types.h>

#include "devices/cuda/device.h"
#include "devices/cuda/driver.h"
#include "devices/cuda/error_text.h"
#include "opwright/c_api.h"
#include "opwright/error.h"

namespace opwright::cuda {
namespace {

constexpr size_t kLeastBytes = 4096;
constexpr size_t kNumClasses = 64;

struct PinnedBlock {
  void* data;
  size_t size;  // a power of two
  std::vector<cudaEvent_t> uses;
};

struct PinnedMemory {
  std::mutex mutex;
  // All of them by their first byte; a tensor may use the middle of one.
  std::map<const std::byte*, PinnedBlock*> blocks;
  std::array<std::vector<PinnedBlock*>, kNumClasses> unused;  // by the width of the size
  int64_t allocated = 0;
  int64_t reserved = 0;
};

PinnedMemory& pinned() {
  static auto* memory = new PinnedMemory;  // outlives every static destructor that frees a tensor
  return *memory;
}

size_t class_of(size_t size) { return static_cast<size_t>(std::bit_width(size)) - 1; }

PinnedBlock* find_pinned_block(const void* memory) {
  const auto& blocks = pinned().blocks;
  auto after = blocks.upper_bound(static_cast<const std::byte*>(memory));
  if (after == blocks.begin()) return nullptr;
  PinnedBlock* block = std::prev(after)->second;
  const auto offset = static_cast<const std::byte*>(memory) - std::prev(after)->first;
  return static_cast<size_t>(offset) < block->size ? block : nullptr;
}

// Whether its copies are done; drops completed events.
bool is_unused(PinnedBlock& block) {
  while (!block.uses.empty() && cudaEventQuery(block.uses.back()) != cudaErrorNotReady) {
    cudaEventDestroy(block.uses.back());
    block.uses.pop_back();
  }
  if (!block.uses.empty()) cudaGetLastError();  // clear "not ready": not a later call's error
  return block.uses.empty();
}

PinnedBlock* find_unused(size_t size) {
  std::vector<PinnedBlock*>& candidates = pinned().unused[class_of(size)];
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [](PinnedBlock* block) { return is_unused(*block); });
  if (found == candidates.end()) return nullptr;
  PinnedBlock* block = *found;
  candidates.erase(found);
  return block;
}

void release_unused() {
  PinnedMemory& memory = pinned();
  for (std::vector<PinnedBlock*>& candidates : memory.unused) {
    std::erase_if(candidates, [&](PinnedBlock* block) {
      if (!is_unused(*block)) return false;
      cudaFreeHost(block->data);
      memory.reserved -= static_cast<int64_t>(block->size);
      memory.blocks.erase(static_cast<const std::byte*>(block->data));
      delete block;
      return true;
    });
  }
}

PinnedBlock* new_block(size_t size) {
  void* data = nullptr;
  cudaError_t status = cudaHostAlloc(&data, size, cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    release_unused();
    status = cudaHostAlloc(&data, size, cudaHostAllocPortable);
  }
  OPWRIGHT_CHECK_KIND("MemoryError", status != cudaErrorMemoryAllocation,
                      "the system pins no more memory: ", size_text(size), " wanted, ",
                      size_text(static_cast<size_t>(pinned().reserved)), " pinned already");
  check_cuda(status, "pinning memory of the cpu");
  auto* block = new PinnedBlock{.data = data, .size = size, .uses = {}};
  pinned().blocks.emplace(static_cast<const std::byte*>(data), block);
  pinned().reserved += static_cast<int64_t>(size);
  return block;
}

}  // namespace

bool is_pinned(const void* memory, size_t bytes) {
  const std::lock_guard lock(pinned().mutex);
  const PinnedBlock* block = find_pinned_block(memory);
  if (!block) return false;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(memory) -
                                          static_cast<const std::byte*>(block->data));
  return bytes <= block->size - offset;
}

void note_pinned_use(const void* memory, cudaStream_t stream) {
  const std::lock_guard lock(pinned().mutex);
  PinnedBlock* block = find_pinned_block(memory);
  if (!block) return;
  is_unused(*block);  // drops events of earlier copies
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "marking a copy");
  block->uses.push_back(event);
  check_cuda(cudaEventRecord(event, stream), "marking a copy");
}

void empty_pinned_cache() {
  const std::lock_guard lock(pinned().mutex);
  release_unused();
}

std::optional<int64_t> pinned_statistic(const char* key) {
  const std::lock_guard lock(pinned().mutex);
  if (std::string_view(key) == "pinned_allocated") return pinned().allocated;
  if (std::string_view(key) == "pinned_reserved") return pinned().reserved;
  return std::nullopt;
}

int allocate_pinned_cuda(const OpwHost* host, size_t bytes, void** memory) {
  return run_on(host, current_device(), [&] {
    OPWRIGHT_CHECK_KIND("MemoryError", bytes <= SIZE_MAX / 4, "no system has ", bytes, " bytes");
    const size_t size = std::bit_ceil(std::max(bytes, kLeastBytes));
    const std::lock_guard lock(pinned().mutex);
    PinnedBlock* block = find_unused(size);
    if (!block) block = new_block(size);
    pinned().allocated += static_cast<int64_t>(size);
    *memory = block->data;
  });
}

void free_pinned_cuda(void* memory, size_t /*bytes*/) {
  if (is_in_forked_process()) return;
  const std::lock_guard lock(pinned().mutex);
  PinnedBlock* block = find_pinned_block(memory);
  if (!block || block->data != memory) return;
  pinned().allocated -= static_cast<int64_t>(block->size);
  pinned().unused[class_of(block->size)].push_back(block);
}

}  // namespace opwright::cuda
