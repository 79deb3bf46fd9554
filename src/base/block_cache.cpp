// The slow paths of the block cache: creation, thread exit, out of memory.
#include "opwright/base/block_cache.h"

#include <cstdlib>
#include <utility>

#include "opwright/base/slab.h"
#include "opwright/error.h"

namespace opwright {

constinit thread_local BlockCache* this_thread_block_cache
    __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// Destructors of other thread-locals may still free and allocate: those blocks bypass the cache.
constinit thread_local bool thread_is_ending = false;

struct BlockCacheCloser {
  ~BlockCacheCloser() {
    thread_is_ending = true;
    BlockCache* cache = std::exchange(this_thread_block_cache, nullptr);
    if (!cache) return;
    for (size_t size_class = 0; size_class < kBlockClasses; ++size_class) {
      for (FreeBlock* block = cache->head[size_class]; block;) {
        unpoison_block(block, size_class);
        free_block_slow(std::exchange(block, block->next));
      }
    }
    std::free(cache);
  }
};

void open_cache() {
  // Only the slow path touches this object, so only the slow path pays its guard.
  static thread_local BlockCacheCloser closer;
  (void)closer;
  this_thread_block_cache = static_cast<BlockCache*>(std::calloc(1, sizeof(BlockCache)));
}

}  // namespace

// Under ASan each block comes from malloc, so that out-of-bounds accesses are detected.
#ifdef OPWRIGHT_POISONS_BLOCKS
void* allocate_block_slow(size_t bytes) {
  if (!this_thread_block_cache && !thread_is_ending) open_cache();
  void* memory = std::aligned_alloc(kBlockStep, (block_class(bytes) + 1) * kBlockStep);
  if (!memory) throw_out_of_memory(bytes);
  return memory;
}

void free_block_slow(void* memory) noexcept { std::free(memory); }
#else
// Takes the lock of the slabs once for this many blocks.
constexpr size_t kAtOnce = kBlocksKept / 2;

void* allocate_block_slow(size_t bytes) {
  if (!this_thread_block_cache && !thread_is_ending) open_cache();
  void* blocks[kAtOnce];
  const size_t wanted = this_thread_block_cache ? kAtOnce : 1;
  size_t count = allocate_from_slab(block_class(bytes), blocks, wanted);
  if (count == 0) throw_out_of_memory(bytes);
  while (count > 1) free_block(blocks[--count], bytes);
  return blocks[0];
}

// The list of the class is full: returns half of it.
void free_block_slow(void* memory) noexcept {
  BlockCache* cache = this_thread_block_cache;
  if (!cache) return free_to_slab({&memory, 1});
  const size_t size_class = slab_class(memory);
  void* blocks[kAtOnce];
  for (void*& block : blocks) {
    FreeBlock* first = cache->head[size_class];
    cache->head[size_class] = first->next;
    block = first;
  }
  cache->kept[size_class] -= static_cast<uint32_t>(kAtOnce);
  free_to_slab(blocks);
  free_block(memory, (size_class + 1) * kBlockStep);
}
#endif

void throw_out_of_memory(size_t bytes) {
  throw_error("MemoryError", "out of memory: could not allocate ", bytes, " bytes");
}

}  // namespace opwright
