#include "opwright/ops/engine/move/transposed_copy.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "opwright/ops/engine/cpu/moved_item.h"
#include "opwright/ops/engine/cpu/run_at_level.h"

namespace opwright {
namespace {

// Elements per side of a tile, which is read and written in full cache lines.
template <class Item>
constexpr int64_t kTile = std::max<int64_t>(8, 64 / static_cast<int64_t>(sizeof(Item)));

// target[i, j] = source[j, i]; the strides are those of j in the target and of i in the source, in
// bytes.
template <class Item>
void copy_tile(std::byte* target, int64_t target_stride, const std::byte* source,
               int64_t source_stride, int64_t rows, int64_t columns) {
  std::array<Item, static_cast<size_t>(kTile<Item> * kTile<Item>)> tile;
  for (int64_t i = 0; i < rows; ++i) {
    const auto* from = reinterpret_cast<const Item*>(source + i * source_stride);
    for (int64_t j = 0; j < columns; ++j) tile[static_cast<size_t>(j * kTile<Item> + i)] = from[j];
  }
  for (int64_t j = 0; j < columns; ++j) {
    auto* to = reinterpret_cast<Item*>(target + j * target_stride);
    std::copy_n(tile.data() + j * kTile<Item>, rows, to);
  }
}

// Tiles are grouped in blocks of this many elements per side, so that their pages stay in the TLB.
constexpr int64_t kBlock = 64;

template <class Item>
void copy_block(std::byte* target, int64_t target_stride, const std::byte* source,
                int64_t source_stride, int64_t rows, int64_t columns) {
  constexpr auto kItem = static_cast<int64_t>(sizeof(Item));
  for (int64_t j = 0; j < columns; j += kTile<Item>) {
    for (int64_t i = 0; i < rows; i += kTile<Item>) {
      copy_tile<Item>(target + j * target_stride + i * kItem, target_stride,
                      source + i * source_stride + j * kItem, source_stride,
                      std::min(kTile<Item>, rows - i), std::min(kTile<Item>, columns - j));
    }
  }
}

// Copies over the first two dimensions of the loop; threads take bands of the second.
template <class Item>
void copy_plane(const StridedLoop& loop, std::byte* target, const std::byte* source) {
  constexpr auto kItem = static_cast<int64_t>(sizeof(Item));
  const int64_t rows = loop.size(0), columns = loop.size(1);
  const int64_t source_stride = loop.strides(0)[1], target_stride = loop.strides(1)[0];
  const int64_t bands = (columns + kBlock - 1) / kBlock;
  const int64_t grain = std::max<int64_t>(1, kElementwiseGrain / (rows * kBlock));
  parallel_for(bands, grain, [&](int64_t begin, int64_t end) {
    for (int64_t band = begin; band < end; ++band) {
      const int64_t j = band * kBlock;
      for (int64_t i = 0; i < rows; i += kBlock) {
        copy_block<Item>(target + j * target_stride + i * kItem, target_stride,
                         source + i * source_stride + j * kItem, source_stride,
                         std::min(kBlock, rows - i), std::min(kBlock, columns - j));
      }
    }
  });
}

// Calls body(target, source) for the planes of the first two dimensions; threads take planes.
template <class Body>
void for_each_plane_of(const StridedLoop& loop, const Body& body) {
  int64_t planes = 1;
  for (size_t dim = 2; dim < loop.num_dims(); ++dim) planes *= loop.size(dim);
  const int64_t grain = std::max<int64_t>(1, kElementwiseGrain / (loop.size(0) * loop.size(1)));
  parallel_for(planes, grain, [&](int64_t begin, int64_t end) {
    Sizes index(loop.num_dims(), 0);
    std::byte* target = loop.pointers()[0];
    std::byte* source = loop.pointers()[1];
    const auto move = [&](size_t dim, int64_t steps) {
      index[dim] += steps;
      target += steps * loop.strides(dim)[0];
      source += steps * loop.strides(dim)[1];
    };
    int64_t rest = begin;
    for (size_t dim = 2; dim < loop.num_dims(); ++dim) {
      move(dim, rest % loop.size(dim));
      rest /= loop.size(dim);
    }
    for (int64_t plane = begin; plane < end; ++plane) {
      body(target, source);
      for (size_t dim = 2; dim < loop.num_dims(); ++dim) {
        move(dim, 1);
        if (index[dim] < loop.size(dim)) break;
        move(dim, -index[dim]);
      }
    }
  });
}

// target[j * kWays + i] = source[i, j]; the stride is that of i, in bytes.
template <class Item, int64_t kWays>
struct InterleaveRows {
  OPWRIGHT_INLINE static void run(Item* target, const std::byte* source, int64_t stride,
                                  int64_t count) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t j = 0; j < count; ++j) {
      for (int64_t i = 0; i < kWays; ++i)
        target[j * kWays + i] = reinterpret_cast<const Item*>(source + i * stride)[j];
    }
  }
};

template <class Item>
void interleave_rows(int64_t ways, std::byte* target, const std::byte* source, int64_t stride,
                     int64_t count) {
  auto* to = reinterpret_cast<Item*>(target);
  if (ways == 2) return run_at_level<InterleaveRows<Item, 2>>(to, source, stride, count);
  if (ways == 3) return run_at_level<InterleaveRows<Item, 3>>(to, source, stride, count);
  run_at_level<InterleaveRows<Item, 4>>(to, source, stride, count);
}

}  // namespace

bool copy_interleaved(const StridedLoop& loop, int64_t item) {
  if (loop.num_dims() < 2 || loop.size(0) < 2 || loop.size(0) > 4 || loop.size(1) < 8) return false;
  if (loop.strides(0)[0] != item || loop.strides(1)[1] != item) return false;
  if (loop.strides(1)[0] != loop.size(0) * item) return false;
  for_item_size(static_cast<size_t>(item), [&]<typename Item>() {
    for_each_plane_of(loop, [&](std::byte* target, const std::byte* source) {
      interleave_rows<Item>(loop.size(0), target, source, loop.strides(0)[1], loop.size(1));
    });
  });
  return true;
}

bool copy_transposed(const StridedLoop& loop, int64_t item) {
  constexpr int64_t kLeast = 8;  // elements along each of the two dimensions
  if (loop.num_dims() < 2 || loop.size(0) < kLeast || loop.size(1) < kLeast) return false;
  if (loop.strides(0)[0] != item || loop.strides(1)[1] != item) return false;
  for_item_size(static_cast<size_t>(item), [&]<typename Item>() {
    for_each_plane_of(loop, [&](std::byte* target, const std::byte* source) {
      copy_plane<Item>(loop, target, source);
    });
  });
  return true;
}

}  // namespace opwright
