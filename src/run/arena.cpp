#include "opwright/run/arena.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "opwright/base/block_cache.h"  // IWYU pragma: keep
#include "opwright/base/large_memory.h"
#include "opwright/run/placement.h"

namespace opwright {
namespace {

// With ASan, forbids access to memory that no storage holds.
void poison(const void* memory, size_t bytes) noexcept {
#ifdef OPWRIGHT_POISONS_BLOCKS
  __asan_poison_memory_region(memory, bytes);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}
void unpoison(const void* memory, size_t bytes) noexcept {
#ifdef OPWRIGHT_POISONS_BLOCKS
  __asan_unpoison_memory_region(memory, bytes);
#else
  static_cast<void>(memory);
  static_cast<void>(bytes);
#endif
}

}  // namespace

ArenaPtr Arena::make(std::span<const Lifetime> lives, const Placement& placement) {
  void* memory = allocate_large_memory(placement.bytes);
  if (!memory) return nullptr;
  ArenaPtr arena = ArenaPtr::take(new Arena(static_cast<std::byte*>(memory), placement.bytes));
  poison(memory, placement.bytes);
  arena->add_places(lives, placement);
  return arena;
}

Arena::~Arena() {
  unpoison(memory_, bytes_);
  free_large_memory(memory_, bytes_);
}

void Arena::add_places(std::span<const Lifetime> lives, const Placement& placement) {
  std::vector<size_t> cuts;
  for (size_t i = 0; i < lives.size(); ++i) {
    if (placement.offsets[i] == kNotPlaced) continue;
    cuts.push_back(placement.offsets[i]);
    cuts.push_back(placement.offsets[i] + lives[i].bytes);
  }
  std::ranges::sort(cuts);
  const auto repeated = std::ranges::unique(cuts);
  cuts.erase(repeated.begin(), repeated.end());
  const auto part_at = [&](size_t offset) {
    return static_cast<uint32_t>(std::ranges::lower_bound(cuts, offset) - cuts.begin());
  };
  places_.resize(lives.size());
  for (size_t i = 0; i < lives.size(); ++i) {
    const size_t offset = placement.offsets[i];
    if (offset == kNotPlaced) continue;
    places_[i] = {this, offset, lives[i].bytes, part_at(offset), part_at(offset + lives[i].bytes)};
  }
  is_held_ = std::make_unique<std::atomic<uint8_t>[]>(cuts.size());
}

bool Arena::is_free(const Place& place) const noexcept {
  for (uint32_t part = place.first_part; part < place.end_part; ++part) {
    if (is_held_[part].load(std::memory_order_acquire) != 0) return false;
  }
  return true;
}

bool Arena::take(size_t life, ServedMemory& served) noexcept {
  Place& place = places_[life];
  if (place.offset == kNotPlaced || !is_free(place)) return false;
  for (uint32_t part = place.first_part; part < place.end_part; ++part) {
    is_held_[part].store(1, std::memory_order_relaxed);
  }
  add_ref();
  unpoison(memory_ + place.offset, place.bytes);
  served = {memory_ + place.offset, &give_back, &place};
  return true;
}

void Arena::give_back(void* place) noexcept {
  const Place& held = *static_cast<const Place*>(place);
  Arena& arena = *held.arena;
  poison(arena.memory_ + held.offset, held.bytes);
  for (uint32_t part = held.first_part; part < held.end_part; ++part) {
    arena.is_held_[part].store(0, std::memory_order_release);
  }
  arena.release();
}

bool Arena::holds(const void* address) const noexcept {
  return address >= memory_ && address < memory_ + bytes_;
}

}  // namespace opwright
