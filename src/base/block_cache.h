// Small blocks for tensor objects and storages: a list per size class and thread, without a lock.
//
// A block freed on another thread joins that thread's list. Lists are bounded and are released when
// the thread ends.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#define OPWRIGHT_POISONS_BLOCKS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OPWRIGHT_POISONS_BLOCKS 1
#endif
#endif
#ifdef OPWRIGHT_POISONS_BLOCKS
#include <sanitizer/asan_interface.h>
#endif

namespace opwright {

inline constexpr size_t kBlockStep = 64;
inline constexpr size_t kBlockClasses = 16;
inline constexpr size_t kLargestBlock = kBlockStep * kBlockClasses;
inline constexpr uint32_t kBlocksKept = 64;  // per class and thread

struct FreeBlock {
  FreeBlock* next;
};

// Trivial on purpose: a thread_local with a constructor would put a guard on every allocation.
struct BlockCache {
  FreeBlock* head[kBlockClasses];
  uint32_t kept[kBlockClasses];
};

// One pointer of static TLS; the lists are on the heap. Null before the first allocation and while
// the thread ends.
extern constinit thread_local BlockCache* this_thread_block_cache
    __attribute__((tls_model("initial-exec")));

[[nodiscard]] void* allocate_block_slow(size_t bytes);
void free_block_slow(void* memory) noexcept;

// Throws MemoryError with the requested size.
[[noreturn]] void throw_out_of_memory(size_t bytes);

inline size_t block_class(size_t bytes) noexcept { return (bytes - 1) / kBlockStep; }

// Poisons an entire cached block under ASan, so that a use after free is detected as with malloc.
inline void poison_block([[maybe_unused]] void* memory,
                         [[maybe_unused]] size_t size_class) noexcept {
#ifdef OPWRIGHT_POISONS_BLOCKS
  __asan_poison_memory_region(memory, (size_class + 1) * kBlockStep);
#endif
}
inline void unpoison_block([[maybe_unused]] void* memory,
                           [[maybe_unused]] size_t size_class) noexcept {
#ifdef OPWRIGHT_POISONS_BLOCKS
  __asan_unpoison_memory_region(memory, (size_class + 1) * kBlockStep);
#endif
}

// `bytes` is in 1 ... kLargestBlock. Aligned to 64. Throws MemoryError.
[[nodiscard]] inline void* allocate_block(size_t bytes) {
  if (BlockCache* cache = this_thread_block_cache) [[likely]] {
    const size_t size_class = block_class(bytes);
    if (FreeBlock* block = cache->head[size_class]) [[likely]] {
      unpoison_block(block, size_class);
      cache->head[size_class] = block->next;
      --cache->kept[size_class];
      return block;
    }
  }
  return allocate_block_slow(bytes);
}

// `bytes` is the size that was requested. Any thread.
inline void free_block(void* memory, size_t bytes) noexcept {
  const size_t size_class = block_class(bytes);
  BlockCache* cache = this_thread_block_cache;
  if (cache && cache->kept[size_class] < kBlocksKept) [[likely]] {
    auto* block = static_cast<FreeBlock*>(memory);
    block->next = cache->head[size_class];
    cache->head[size_class] = block;
    ++cache->kept[size_class];
    poison_block(block, size_class);
    return;
  }
  free_block_slow(memory);
}

}  // namespace opwright
