#include "devices/cuda/allocator.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "opwright/c_api.h"

namespace opwright::cuda {
namespace {

constexpr size_t kUnit = 512;
constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kMostSmall = kMiB;
constexpr size_t kSmallSegment = 2 * kMiB;
constexpr size_t kLargeSegment = 20 * kMiB;  // for blocks below half of it
constexpr size_t kSegmentUnit = 2 * kMiB;
constexpr size_t kMostBytes = std::numeric_limits<size_t>::max() / 2;

constexpr size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t block_size(size_t bytes) { return round_up(std::max<size_t>(bytes, 1), kUnit); }

size_t segment_size(size_t size) {
  if (size <= kMostSmall) return kSmallSegment;
  return size < kLargeSegment / 2 ? kLargeSegment : round_up(size, kSegmentUnit);
}

// Sizes up to 64 units have a bin each; above that, each power of two has 32.
constexpr size_t kSubBits = 5;
size_t bin_of(size_t size) {
  const size_t units = size / kUnit;
  if (units < (2U << kSubBits)) return units;
  const auto shift = static_cast<size_t>(std::bit_width(units)) - 1 - kSubBits;
  return ((shift + 1) << kSubBits) + ((units >> shift) - (1U << kSubBits));
}

// The number of blocks in its own bin that an allocation checks; all of later bins are large
// enough.
constexpr int kMostLooks = 16;
constexpr size_t kNodesInChunk = 512;
constexpr int kSpins = 64;

}  // namespace

std::optional<int64_t> statistic_of(const AllocatorStatistics& statistics, const char* key) {
  const std::pair<std::string_view, int64_t> all[] = {{"allocated", statistics.allocated},
                                                      {"reserved", statistics.reserved},
                                                      {"peak_allocated", statistics.peak_allocated},
                                                      {"peak_reserved", statistics.peak_reserved},
                                                      {"allocations", statistics.allocations},
                                                      {"cache_hits", statistics.cache_hits},
                                                      {"retries", statistics.retries},
                                                      {"segments", statistics.segments}};
  for (const auto& [name, value] : all) {
    if (name == key) return value;
  }
  return std::nullopt;
}

void SpinLock::lock() noexcept {
  while (is_locked_.exchange(true, std::memory_order_acquire)) {
    for (int spins = 0; is_locked_.load(std::memory_order_relaxed); ++spins) {
      if (spins >= kSpins) sched_yield();  // its holder may be in the driver, or not running
    }
  }
}

// ---- Blocks in use ----

Allocator::BlockTable::BlockTable() : places_(4096, nullptr), mask_(places_.size() - 1) {}

size_t Allocator::BlockTable::home_of(const void* data) const noexcept {
  const auto units = reinterpret_cast<uintptr_t>(data) / kUnit;
  return static_cast<size_t>((units * 0x9E3779B97F4A7C15ULL) >> 20) & mask_;
}

void Allocator::BlockTable::insert(Block* block) {
  if ((count_ + 1) * 2 > places_.size()) grow();
  size_t place = home_of(block->data);
  while (places_[place]) place = (place + 1) & mask_;
  places_[place] = block;
  ++count_;
}

Allocator::Block* Allocator::BlockTable::take(const void* data) noexcept {
  size_t place = home_of(data);
  while (places_[place] && places_[place]->data != data) place = (place + 1) & mask_;
  Block* found = places_[place];
  if (!found) return nullptr;
  // Later entries move up if their first slot allows it, so that no search ends too early.
  size_t hole = place;
  for (size_t next = (hole + 1) & mask_; places_[next]; next = (next + 1) & mask_) {
    const size_t home = home_of(places_[next]->data);
    if (((next - home) & mask_) >= ((next - hole) & mask_)) {
      places_[hole] = places_[next];
      hole = next;
    }
  }
  places_[hole] = nullptr;
  --count_;
  return found;
}

void Allocator::BlockTable::grow() {
  std::vector<Block*> before(places_.size() * 2, nullptr);
  before.swap(places_);
  mask_ = places_.size() - 1;
  count_ = 0;
  for (Block* block : before) {
    if (block) insert(block);
  }
}

// ---- Free blocks ----

Allocator::Allocator(DeviceMemory& memory) : memory_(memory) { reserve_nodes(); }
Allocator::~Allocator() = default;

Allocator::Pool& Allocator::pool_for(OpwStream* stream, bool is_large) {
  Pool*& last = last_pool_[is_large ? 1 : 0];
  if (last && last->stream == stream) [[likely]]
    return *last;
  for (const std::unique_ptr<Pool>& pool : pools_) {
    if (pool->stream == stream && pool->is_large == is_large) return *(last = pool.get());
  }
  pools_.push_back(std::make_unique<Pool>(Pool{.stream = stream, .is_large = is_large}));
  return *(last = pools_.back().get());
}

void Allocator::insert_in_bin(Block* block) noexcept {
  const size_t bin = bin_of(block->size);
  Block*& first = block->pool->bins[bin];
  block->is_free = true;
  block->previous = nullptr;
  block->next = first;
  if (first) first->previous = block;
  first = block;
  block->pool->has_blocks[bin / 64] |= uint64_t{1} << (bin % 64);
}

void Allocator::remove_from_bin(Block* block) noexcept {
  const size_t bin = bin_of(block->size);
  Block*& first = block->pool->bins[bin];
  if (block->previous) block->previous->next = block->next;
  if (block->next) block->next->previous = block->previous;
  if (first == block) first = block->next;
  if (!first) block->pool->has_blocks[bin / 64] &= ~(uint64_t{1} << (bin % 64));
  block->is_free = false;
}

// The best of the checked blocks, removed from its bin; null if there is none.
Allocator::Block* Allocator::find_block(Pool& pool, size_t size) noexcept {
  const size_t own = bin_of(size);
  Block* best = nullptr;
  int looks = 0;
  for (Block* block = pool.bins[own]; block && looks < kMostLooks; block = block->next, ++looks) {
    if (block->size >= size && (!best || block->size < best->size)) best = block;
    if (best && best->size == size) break;
  }
  size_t word = (own + 1) / 64;
  uint64_t bits = word < pool.has_blocks.size()
                      ? pool.has_blocks[word] & (~uint64_t{0} << ((own + 1) % 64))
                      : 0;
  while (!best && word < pool.has_blocks.size()) {
    if (bits != 0) {
      best = pool.bins[word * 64 + static_cast<size_t>(std::countr_zero(bits))];
    } else if (++word < pool.has_blocks.size()) {
      bits = pool.has_blocks[word];
    }
  }
  if (best) remove_from_bin(best);
  return best;
}

// Splits off the rest after `size` as a free block, if it is worth one.
void Allocator::cut(Block* block, size_t size) {
  const size_t rest = block->size - size;
  if (rest < kUnit || (block->pool->is_large && rest <= kMostSmall)) return;
  Block* behind = new_node();
  *behind = {.data = block->data + size,
             .size = rest,
             .pool = block->pool,
             .before = block,
             .after = block->after,
             .previous = nullptr,
             .next = nullptr,
             .event = nullptr,
             .is_free = true};
  if (block->after) block->after->before = behind;
  block->after = behind;
  block->size = size;
  insert_in_bin(behind);
}

// Puts an unused block into its list, merged with its free neighbours.
void Allocator::give_back(Block* block) noexcept {
  if (Block* before = block->before; before && before->is_free) {
    remove_from_bin(before);
    before->size += block->size;
    before->after = block->after;
    if (block->after) block->after->before = before;
    free_node(std::exchange(block, before));
  }
  if (Block* after = block->after; after && after->is_free) {
    remove_from_bin(after);
    block->size += after->size;
    block->after = after->after;
    if (after->after) after->after->before = block;
    free_node(after);
  }
  insert_in_bin(block);
}

// ---- Segments ----

Allocator::Block* Allocator::new_segment(Pool& pool, size_t size) {
  take_those_that_came(/*looks_at_all=*/true, /*waits=*/false);
  if (Block* block = find_block(pool, size)) return block;
  const size_t bytes = segment_size(size);
  void* data = memory_.allocate(bytes);
  if (!data) {
    ++statistics_.retries;
    take_those_that_came(/*looks_at_all=*/true, /*waits=*/true);
    if (Block* block = find_block(pool, size)) return block;
    release_segments();
    data = memory_.allocate(bytes);
  }
  if (!data) return nullptr;
  ++misses_;
  statistics_.reserved += static_cast<int64_t>(bytes);
  statistics_.peak_reserved = std::max(statistics_.peak_reserved, statistics_.reserved);
  ++statistics_.segments;
  Block* block = new_node();
  *block = {.data = static_cast<std::byte*>(data),
            .size = bytes,
            .pool = &pool,
            .before = nullptr,
            .after = nullptr,
            .previous = nullptr,
            .next = nullptr,
            .event = nullptr,
            .is_free = false};
  return block;
}

void Allocator::release_segments() {
  for (const std::unique_ptr<Pool>& pool : pools_) {
    for (Block* block : pool->bins) {
      while (block) {
        Block* next = block->next;
        if (!block->before && !block->after) {
          remove_from_bin(block);
          memory_.free(block->data);
          statistics_.reserved -= static_cast<int64_t>(block->size);
          --statistics_.segments;
          free_node(block);
        }
        block = next;
      }
    }
  }
}

// Returns blocks whose last work on another stream is done to their list. They are in the order of
// their events, so those after the first pending one are rarely worth checking.
void Allocator::take_those_that_came(bool looks_at_all, bool waits) {
  Block* block = first_waiting_;
  while (block) {
    Block* next = block->next;
    if (memory_.has_come(block->event, waits)) {
      (block->previous ? block->previous->next : first_waiting_) = next;
      (next ? next->previous : last_waiting_) = block->previous;
      block->event = nullptr;
      give_back(block);
    } else if (!looks_at_all) {
      return;
    }
    block = next;
  }
}

// ---- Nodes ----

// An allocation needs two at most: for its segment and for the split-off rest.
void Allocator::reserve_nodes() {
  if (unused_nodes_ && unused_nodes_->next) [[likely]]
    return;
  node_chunks_.push_back(std::make_unique<Block[]>(kNodesInChunk));
  for (size_t i = 0; i < kNodesInChunk; ++i) free_node(&node_chunks_.back()[i]);
}

Allocator::Block* Allocator::new_node() noexcept {
  return std::exchange(unused_nodes_, unused_nodes_->next);
}

void Allocator::free_node(Block* node) noexcept {
  node->next = unused_nodes_;
  unused_nodes_ = node;
}

// ---- Public interface ----

void* Allocator::allocate(size_t bytes, OpwStream* stream) {
  if (bytes > kMostBytes) return nullptr;
  const size_t size = block_size(bytes);
  const std::lock_guard guard(lock_);
  reserve_nodes();
  if (first_waiting_) [[unlikely]]
    take_those_that_came(/*looks_at_all=*/false, /*waits=*/false);
  Pool& pool = pool_for(stream, size > kMostSmall);
  Block* block = find_block(pool, size);
  if (!block) [[unlikely]] {
    block = new_segment(pool, size);
    if (!block) return nullptr;
  }
  cut(block, size);
  in_use_.insert(block);
  ++statistics_.allocations;
  statistics_.allocated += static_cast<int64_t>(block->size);
  statistics_.peak_allocated = std::max(statistics_.peak_allocated, statistics_.allocated);
  return block->data;
}

void Allocator::free(void* memory, OpwStream* stream) noexcept {
  const std::lock_guard guard(lock_);
  Block* block = in_use_.take(memory);
  if (!block) return;
  statistics_.allocated -= static_cast<int64_t>(block->size);
  if (block->pool->stream != stream) [[unlikely]] {
    if (void* event = memory_.record_event(stream)) {
      block->event = event;
      block->next = nullptr;
      block->previous = last_waiting_;
      (last_waiting_ ? last_waiting_->next : first_waiting_) = block;
      last_waiting_ = block;
      return;
    }
  }
  give_back(block);
}

void Allocator::empty_cache() {
  const std::lock_guard guard(lock_);
  take_those_that_came(/*looks_at_all=*/true, /*waits=*/true);
  release_segments();
}

AllocatorStatistics Allocator::statistics() {
  const std::lock_guard guard(lock_);
  AllocatorStatistics statistics = statistics_;
  statistics.cache_hits = statistics.allocations - misses_;
  return statistics;
}

void Allocator::reset_peaks() {
  const std::lock_guard guard(lock_);
  statistics_.peak_allocated = statistics_.allocated;
  statistics_.peak_reserved = statistics_.reserved;
}

}  // namespace opwright::cuda
