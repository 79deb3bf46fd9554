#include "opwright/ops/engine/move/transposed_copy.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "opwright/ops/engine/cpu/moved_item.h"

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

}  // namespace

bool copy_transposed(const StridedLoop& loop, int64_t item) {
  constexpr int64_t kLeast = 8;  // elements along each of the two dimensions
  if (loop.num_dims() < 2 || loop.size(0) < kLeast || loop.size(1) < kLeast) return false;
  if (loop.strides(0)[0] != item || loop.strides(1)[1] != item) return false;
  int64_t planes = 1;
  for (size_t dim = 2; dim < loop.num_dims(); ++dim) planes *= loop.size(dim);
  const int64_t plane_numel = loop.size(0) * loop.size(1);
  for_item_size(static_cast<size_t>(item), [&]<typename Item>() {
    parallel_for(planes, std::max<int64_t>(1, kElementwiseGrain / plane_numel),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t plane = begin; plane < end; ++plane) {
                     std::byte* target = loop.pointers()[0];
                     std::byte* source = loop.pointers()[1];
                     int64_t rest = plane;
                     for (size_t dim = 2; dim < loop.num_dims(); ++dim) {
                       const int64_t index = rest % loop.size(dim);
                       rest /= loop.size(dim);
                       target += index * loop.strides(dim)[0];
                       source += index * loop.strides(dim)[1];
                     }
                     copy_plane<Item>(loop, target, source);
                   }
                 });
  });
  return true;
}

}  // namespace opwright
