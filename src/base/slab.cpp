#include "opwright/base/slab.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdint>
#include <mutex>
#include <span>

#include "opwright/base/block_cache.h"

namespace opwright {
namespace {

constexpr size_t kSlabBytes = size_t{64} * 1024;
constexpr size_t kSlabsPerRegion = 16;

struct alignas(kBlockStep) Slab {
  size_t size_class;
  size_t used;          // blocks in use
  std::byte* next_new;  // the first block that was never used
  FreeBlock* free;      // freed blocks
  Slab* previous;       // links slabs of the class with available blocks
  Slab* next;

  [[nodiscard]] size_t block_bytes() const noexcept { return (size_class + 1) * kBlockStep; }
  [[nodiscard]] bool has_new() noexcept {
    return next_new + block_bytes() <= reinterpret_cast<std::byte*>(this) + kSlabBytes;
  }
  [[nodiscard]] bool is_full() noexcept { return !free && !has_new(); }
};

constinit std::mutex slabs_mutex;
constinit Slab* with_room[kBlockClasses] = {};
constinit Slab* empty_slabs = nullptr;  // linked by `next`; those with pages first
constinit size_t num_resident = 0;      // those of them that keep their pages

// A child forked while another thread held the mutex could never lock it.
[[maybe_unused]] const int kForksAreSafe = pthread_atfork(
    [] { slabs_mutex.lock(); }, [] { slabs_mutex.unlock(); }, [] { slabs_mutex.unlock(); });

void link(Slab* slab) noexcept {
  Slab*& first = with_room[slab->size_class];
  slab->previous = nullptr;
  slab->next = first;
  if (first) first->previous = slab;
  first = slab;
}

void unlink_slab(Slab* slab) noexcept {
  if (slab->previous) {
    slab->previous->next = slab->next;
  } else {
    with_room[slab->size_class] = slab->next;
  }
  if (slab->next) slab->next->previous = slab->previous;
}

// The system allocates pages as they are touched; this only reserves address space.
bool map_region() noexcept {
  constexpr size_t kBytes = (kSlabsPerRegion + 1) * kSlabBytes;
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const uintptr_t first =
      (reinterpret_cast<uintptr_t>(memory) + kSlabBytes - 1) & ~(kSlabBytes - 1);
  for (size_t i = kSlabsPerRegion; i-- > 0;) {
    auto* slab = reinterpret_cast<Slab*>(first + i * kSlabBytes);
    slab->next = empty_slabs;
    empty_slabs = slab;
  }
  return true;
}

Slab* slab_with_room(size_t size_class) noexcept {
  if (Slab* slab = with_room[size_class]) return slab;
  if (!empty_slabs && !map_region()) return nullptr;
  Slab* slab = empty_slabs;
  empty_slabs = slab->next;
  if (num_resident > 0) --num_resident;
  slab->size_class = size_class;
  slab->used = 0;
  slab->next_new = reinterpret_cast<std::byte*>(slab) + sizeof(Slab);
  slab->free = nullptr;
  link(slab);
  return slab;
}

void* take_slab_block(Slab* slab) noexcept {
  void* block = slab->free;
  if (block) {
    slab->free = slab->free->next;
  } else {
    block = slab->next_new;
    slab->next_new += slab->block_bytes();
  }
  ++slab->used;
  if (slab->is_full()) unlink_slab(slab);
  return block;
}

// Some slabs keep their pages, so that a program whose memory use oscillates does not pay for them
// each time. The first page of the others stays, since it links the slab.
void give_back(Slab* slab) noexcept {
  constexpr size_t kPage = 4096;
  constexpr size_t kMostResident = 64;
  if (num_resident < kMostResident) {
    ++num_resident;
    slab->next = empty_slabs;
    empty_slabs = slab;
    return;
  }
  madvise(reinterpret_cast<std::byte*>(slab) + kPage, kSlabBytes - kPage, MADV_DONTNEED);
  Slab* before = empty_slabs;  // after those with pages
  for (size_t i = 1; i < num_resident; ++i) before = before->next;
  slab->next = before->next;
  before->next = slab;
}

Slab* slab_of(const void* block) noexcept {
  return reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(block) & ~(kSlabBytes - 1));
}

void free_one(void* block) noexcept {
  Slab* slab = slab_of(block);
  const bool was_full = slab->is_full();
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = slab->free;
  slab->free = freed;
  if (was_full) link(slab);
  if (--slab->used > 0) return;
  const bool is_only = !slab->previous && !slab->next;
  if (is_only) return;  // kept, so that repeatedly freeing one block costs no page
  unlink_slab(slab);
  give_back(slab);
}

}  // namespace

size_t allocate_from_slab(size_t size_class, void** blocks, size_t most) noexcept {
  const std::lock_guard lock(slabs_mutex);
  size_t count = 0;
  while (count < most) {
    Slab* slab = slab_with_room(size_class);
    if (!slab) break;
    blocks[count++] = take_slab_block(slab);
  }
  return count;
}

size_t slab_class(const void* block) noexcept { return slab_of(block)->size_class; }

void free_to_slab(std::span<void* const> blocks) noexcept {
  const std::lock_guard lock(slabs_mutex);
  for (void* block : blocks) free_one(block);
}

}  // namespace opwright
