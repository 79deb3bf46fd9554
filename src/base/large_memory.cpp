#include "opwright/base/large_memory.h"

#include <sys/mman.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>

#include "opwright/base/block_cache.h"  // IWYU pragma: keep

namespace opwright {
namespace {

constexpr size_t kAlignment = 64;

// Rounds sizes up to eight steps in each power of two, so that similar sizes share memory.
size_t round_up(size_t bytes) noexcept {
  const size_t step = bytes < kLeastLargeMemory ? kAlignment : std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

// From twice this size on, memory starts at a huge page and requests huge pages: with small pages,
// a pass over some megabytes spends a tenth of its time on address translation.
constexpr size_t kHugePage = size_t{2} << 20;

void* allocate(size_t rounded) noexcept {
  if (rounded < 2 * kHugePage) return std::aligned_alloc(kAlignment, rounded);
  void* memory = nullptr;
  if (posix_memalign(&memory, kHugePage, rounded) != 0) return nullptr;
  (void)madvise(memory, rounded, MADV_HUGEPAGE);  // a hint
  return memory;
}

struct Kept {
  void* memory;
  size_t bytes;
};

// Oldest first. A fork may copy it while another thread holds the lock: users only try to lock, and
// skip the cache if they fail.
struct KeptMemory {
  std::mutex mutex;
  std::array<Kept, 64> list{};
  size_t count = 0;
  size_t bytes = 0;

  Kept remove(size_t place) noexcept {
    const Kept kept = list[place];
    --count;
    for (size_t i = place; i < count; ++i) list[i] = list[i + 1];
    bytes -= kept.bytes;
    return kept;
  }

  // The newest of exactly this size: its pages are the most likely to be in a cache.
  void* take(size_t wanted) noexcept {
    for (size_t i = count; i-- > 0;)
      if (list[i].bytes == wanted) return remove(i).memory;
    return nullptr;
  }

  void keep(Kept kept) noexcept {
    while (count == list.size() || bytes + kept.bytes > kMostLargeMemoryKept)
      std::free(remove(0).memory);
    list[count++] = kept;
    bytes += kept.bytes;
  }
};

constinit KeptMemory kept_memory;

// ASan detects uses after free only in memory that was freed.
#if defined(OPWRIGHT_POISONS_BLOCKS)
constexpr bool kKeeps = false;
#else
constexpr bool kKeeps = true;
#endif

bool is_kept_size(size_t rounded) noexcept {
  return kKeeps && rounded >= kLeastLargeMemory && rounded <= kMostLargeMemoryKept / 4;
}

}  // namespace

void* allocate_large_memory(size_t bytes) noexcept {
  const size_t rounded = round_up(bytes);
  if (is_kept_size(rounded)) {
    const std::unique_lock lock(kept_memory.mutex, std::try_to_lock);
    if (lock)
      if (void* memory = kept_memory.take(rounded)) return memory;
  }
  void* memory = allocate(rounded);
  if (!memory && release_large_memory() > 0) memory = allocate(rounded);
  return memory;
}

void free_large_memory(void* memory, size_t bytes) noexcept {
  const size_t rounded = round_up(bytes);
  if (memory && is_kept_size(rounded)) {
    const std::unique_lock lock(kept_memory.mutex, std::try_to_lock);
    if (lock) return kept_memory.keep({memory, rounded});
  }
  std::free(memory);
}

size_t release_large_memory() noexcept {
  const std::unique_lock lock(kept_memory.mutex, std::try_to_lock);
  if (!lock) return 0;
  const size_t bytes = kept_memory.bytes;
  while (kept_memory.count > 0) std::free(kept_memory.remove(kept_memory.count - 1).memory);
  return bytes;
}

}  // namespace opwright
