#include "opwright/run/placement.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace opwright {
namespace {

constexpr size_t kAlignment = 64;

size_t round_up(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct Placed {
  size_t begin;
  size_t end;
  uint32_t born;
  uint32_t died;
};

bool meet(const Placed& placed, const Lifetime& life) {
  return placed.born <= life.died && life.born <= placed.died;
}

// `placed` is in address order.
size_t find_gap(std::span<const Placed> placed, const Lifetime& life) {
  const size_t wanted = round_up(life.bytes);
  size_t best = kNotPlaced;
  size_t best_room = SIZE_MAX;
  size_t end = 0;  // of all overlapping ones so far
  for (const Placed& other : placed) {
    if (!meet(other, life)) continue;
    const size_t room = other.begin > end ? other.begin - end : 0;
    if (room >= wanted && room < best_room) {
      best = end;
      best_room = room;
    }
    end = std::max(end, other.end);
  }
  return best == kNotPlaced ? end : best;
}

}  // namespace

Placement place(std::span<const Lifetime> lives) {
  std::vector<size_t> order;
  for (size_t i = 0; i < lives.size(); ++i) {
    if (lives[i].bytes != 0) order.push_back(i);
  }
  std::ranges::sort(order, [&](size_t a, size_t b) {
    if (lives[a].bytes != lives[b].bytes) return lives[a].bytes > lives[b].bytes;
    return a < b;
  });
  order.resize(std::min(order.size(), kMostPlaced));
  Placement placement{.offsets = std::vector<size_t>(lives.size(), kNotPlaced)};
  std::vector<Placed> placed;
  placed.reserve(order.size());
  for (const size_t index : order) {
    const Lifetime& life = lives[index];
    const size_t offset = find_gap(placed, life);
    const Placed one{offset, offset + round_up(life.bytes), life.born, life.died};
    placed.insert(std::ranges::upper_bound(placed, offset, {}, &Placed::begin), one);
    placement.offsets[index] = offset;
    placement.bytes = std::max(placement.bytes, one.end);
  }
  return placement;
}

}  // namespace opwright
