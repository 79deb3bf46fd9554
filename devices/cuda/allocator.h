// Memory of one device, kept for later allocations.
//
// Memory is taken from the device in segments and cut into blocks of 512 bytes times a number. A
// freed block goes back to the list of the stream that it was allocated on, where the next
// allocation on that stream may have it at once: work on a stream runs in order. Free neighbours of
// a segment become one block again. Small blocks (up to 1 MiB) and large ones have segments of
// their own, so that a small block that lives long does not keep a large one from growing.
//
// Pure logic over DeviceMemory. Any thread; an allocation from the lists takes no other lock than
// a short one of its own and asks the heap for nothing.
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

// What the allocator asks of a device. Called by one thread at a time.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;

  // At least 512-byte aligned; null where there is no room.
  virtual void* allocate(size_t bytes) = 0;
  // Waits for work that uses the memory.
  virtual void free(void* memory) = 0;
  // The point after the work queued on `stream` so far; null where it cannot be told, e.g. in a
  // process whose driver is gone: the allocator then takes the work as done.
  virtual void* record_event(OpwStream* stream) = 0;
  // Whether it has come; waits for it where `waits`. One that has come is not asked about again.
  virtual bool has_come(void* event, bool waits) = 0;
};

struct AllocatorStatistics {
  int64_t allocated = 0;  // bytes of blocks in use
  int64_t reserved = 0;   // bytes of segments
  int64_t peak_allocated = 0;
  int64_t peak_reserved = 0;
  int64_t allocations = 0;  // times
  int64_t cache_hits = 0;   // allocations that took nothing from the device
  int64_t retries = 0;      // times that the cache was emptied for lack of room
  int64_t segments = 0;
};
// By the name of its field; nothing for another name.
std::optional<int64_t> statistic_of(const AllocatorStatistics& statistics, const char* key);

// Held for some tens of nanoseconds, but for a call of the driver where the cache has nothing.
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

  // Memory that work on `stream` may use at once; null where the device has no room, though
  // everything unused was given back.
  void* allocate(size_t bytes, OpwStream* stream);
  // After the work queued on `stream` so far. Ignores what it did not allocate.
  void free(void* memory, OpwStream* stream) noexcept;
  // Gives back every segment that has no block in use.
  void empty_cache();
  [[nodiscard]] AllocatorStatistics statistics();
  void reset_peaks();

 private:
  static constexpr size_t kNumBins = 1792;

  struct Pool;
  // Of a segment; linked to its neighbours there, and to others in a bin while it is free.
  struct Block {
    std::byte* data;
    size_t size;
    Pool* pool;
    Block* before;
    Block* after;
    Block* previous;  // in the bin, or in the list of those that wait for an event
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
  // From the address of a block in use to the block; open addressing.
  class BlockTable {
   public:
    BlockTable();
    void insert(Block* block);
    Block* take(const void* data) noexcept;  // null: not there

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
  AllocatorStatistics statistics_;  // but for cache_hits
  int64_t misses_ = 0;
};

}  // namespace opwright::cuda
