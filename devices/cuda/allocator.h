// The caching allocator of one device's memory.
//
// Memory is allocated from the device in segments and split into blocks of multiples of 512 bytes.
// A freed block returns to the list of the stream that it was allocated on, where the next
// allocation on that stream may reuse it at once: work on a stream runs in order. Free neighbours
// in a segment are merged. Small blocks (up to 1 MiB) and large ones have separate segments, so
// that a long-lived small block does not prevent a large one from growing.
//
// Pure logic over DeviceMemory. Any thread; an allocation from the lists takes only a short lock of
// its own and does not use the heap.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "opwright/c_api.h"

namespace opwright::cuda {

// The allocator's interface to a device. Called by one thread at a time.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // At least 512-byte aligned; null if there is no memory left.
  virtual void* allocate(size_t bytes) = 0;
  // Waits for work that uses the memory.
  virtual void free(void* memory) = 0;
  // The point after the work queued on `stream` so far; null if unknown, e.g. in a process whose
  // driver is gone: the allocator then treats the work as done.
  virtual void* record_event(OpwStream* stream) = 0;
  // Whether it has completed; waits for it if `waits`. Not called again for a completed one.
  virtual bool has_come(void* event, bool waits) = 0;
};

struct AllocatorStatistics {
  int64_t allocated = 0;  // bytes of blocks in use
  int64_t reserved = 0;   // bytes of segments
  int64_t peak_allocated = 0;
  int64_t peak_reserved = 0;
  int64_t allocations = 0;  // number of calls
  int64_t cache_hits = 0;   // allocations served without the device
  int64_t retries = 0;      // times the cache was emptied to make room
  int64_t segments = 0;
};
// By the name of its field; empty for another name.
std::optional<int64_t> statistic_of(const AllocatorStatistics& statistics, const char* key);

// Held for some tens of nanoseconds, except during a driver call on a cache miss.
class SpinLock {
 public:
  void lock() noexcept;
  void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> is_locked_{false};
};

class Allocator {
 public:
  explicit Allocator(DeviceMemory& memory);
  // Leaves the segments to the device.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // Memory that work on `stream` may use at once; null if the device has no memory left even after
  // releasing all cached memory.
  void* allocate(size_t bytes, OpwStream* stream);
  // Frees after the work queued on `stream` so far. Ignores memory that it did not allocate.
  void free(void* memory, OpwStream* stream) noexcept;
  // Releases every segment without a block in use.
  void empty_cache();
  [[nodiscard]] AllocatorStatistics statistics();
  void reset_peaks();

 private:
  static constexpr size_t kNumBins = 1792;

  struct Pool;
  // A block of a segment; linked to its neighbours there, and to others in a bin while it is free.
  struct Block {
    std::byte* data;
    size_t size;
    Pool* pool;
    Block* before;
    Block* after;
    Block* previous;  // in the bin, or in the list of blocks waiting for an event
    Block* next;      // the same, or in the list of unused nodes
    void* event;
    bool is_free;
  };
  // The free blocks of one stream and kind, by size.
  struct Pool {
    OpwStream* stream;
    bool is_large;
    std::array<Block*, kNumBins> bins{};
    std::array<uint64_t, kNumBins / 64> has_blocks{};
  };
  // Maps the address of a block in use to the block; open addressing.
  class BlockTable {
   public:
    BlockTable();
    void insert(Block* block);
    Block* take(const void* data) noexcept;  // null if absent

   private:
    [[nodiscard]] size_t home_of(const void* data) const noexcept;
    void grow();

    std::vector<Block*> places_;
    size_t mask_;
    size_t count_ = 0;
  };

  Pool& pool_for(OpwStream* stream, bool is_large);
  Block* find_block(Pool& pool, size_t size) noexcept;
  Block* new_segment(Pool& pool, size_t size);
  void cut(Block* block, size_t size);
  void give_back(Block* block) noexcept;
  void insert_in_bin(Block* block) noexcept;
  void remove_from_bin(Block* block) noexcept;
  void take_those_that_came(bool looks_at_all, bool waits);
  void release_segments();
  void reserve_nodes();
  Block* new_node() noexcept;
  void free_node(Block* node) noexcept;

  DeviceMemory& memory_;
  SpinLock lock_;
  std::vector<std::unique_ptr<Pool>> pools_;
  Pool* last_pool_[2] = {nullptr, nullptr};  // small, large
  BlockTable in_use_;
  Block* first_waiting_ = nullptr;
  Block* last_waiting_ = nullptr;
  Block* unused_nodes_ = nullptr;
  std::vector<std::unique_ptr<Block[]>> node_chunks_;
  AllocatorStatistics statistics_;  // except cache_hits
  int64_t misses_ = 0;
};

}  // namespace opwright::cuda
