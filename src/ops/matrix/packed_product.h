// A large product of floats: blocks of both factors are copied into panels in the order in which the
// tile kernels read them, so that a block of the right factor stays in the second cache and a panel
// in the first. Whoever calls it fills the panels, from a matrix of any strides or from an image.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "opwright/ops/matrix/tile_kernel.h"

namespace opwright {

inline constexpr int64_t kBlockDepth = 256;
inline constexpr int64_t kBlockRows = 96;             // a multiple of every kernel's rows
inline constexpr int64_t kBlockColumnBytes = 4096;    // a multiple of every kernel's columns
inline constexpr int64_t kLargestTile = 8 * 32;       // elements
inline constexpr int64_t kPanelSlack = 64;            // elements that a filler may write too many
inline constexpr std::align_val_t kPanelAlignment{64};

// Uninitialised memory for panels.
template <class T>
class PanelMemory {
 public:
  explicit PanelMemory(int64_t count)
      : data_(static_cast<T*>(::operator new(
            static_cast<size_t>(count + kPanelSlack) * sizeof(T), kPanelAlignment))) {}
  ~PanelMemory() { ::operator delete(data_, kPanelAlignment); }
  PanelMemory(const PanelMemory&) = delete;
  PanelMemory& operator=(const PanelMemory&) = delete;
  [[nodiscard]] T* data() const { return data_; }

 private:
  T* data_;
};

// A block of the result: dense rows, `row` elements apart.
template <class T>
struct ProductTarget {
  T* data;
  int64_t row;
  int64_t rows, columns;
  bool adds;  // to what is there
};

// One packed panel pair, `rows` by `columns` elements of the result.
template <class T>
void multiply_panels(const TileKernels<T>& kernels, const T* left, const T* right, int64_t depth,
                     T* c, int64_t c_row, int64_t rows, int64_t columns, bool adds) {
  const int64_t lanes = kernels.lanes;
  const size_t vectors = columns > lanes ? 1 : 0;
  const int64_t width = lanes * (static_cast<int64_t>(vectors) + 1);
  for (int64_t r = 0; r < rows;) {
    const size_t height = kernels.height_for(rows - r);
    const auto kernel = kernels.packed[height][vectors];
    Tile<T> tile{left + r,      1,     kernels.tile_rows(), right, 2 * lanes,
                 c + r * c_row, c_row, depth,               adds};
    if (columns == width) {
      kernel(tile);
    } else {
      std::array<T, kLargestTile> whole;
      tile.c = whole.data();
      tile.c_row = width;
      tile.adds = false;
      kernel(tile);
      for (int64_t i = 0; i < kernels.rows[height]; ++i) {
        T* to = c + (r + i) * c_row;
        const T* from = whole.data() + i * width;
        for (int64_t j = 0; j < columns; ++j) to[j] = adds ? to[j] + from[j] : from[j];
      }
    }
    r += kernels.rows[height];
  }
}

// fill_left(T* to, row, rows, k, depth) writes to[d * tile_rows + r], fill_right(T* to, column,
// columns, k, depth) to[d * tile_columns + j]; both give zeros, or anything finite, for rows and
// columns of a panel that are not there. `depth` > 0.
template <class T, class FillLeft, class FillRight>
void multiply_packed(const ProductTarget<T>& target, int64_t depth, const FillLeft& fill_left,
                     const FillRight& fill_right) {
  const TileKernels<T>& kernels = tile_kernels<T>();
  const int64_t tile_rows = kernels.tile_rows();
  const int64_t tile_columns = kernels.tile_columns();
  const auto round_up = [](int64_t value, int64_t step) { return (value + step - 1) / step * step; };
  constexpr int64_t kBlockColumns = kBlockColumnBytes / static_cast<int64_t>(sizeof(T));
  const int64_t most_columns = std::min(kBlockColumns, round_up(target.columns, tile_columns));
  const int64_t most_rows = std::min(kBlockRows, round_up(target.rows, tile_rows));
  const int64_t most_depth = std::min(kBlockDepth, depth);
  const PanelMemory<T> left(most_rows * most_depth);
  const PanelMemory<T> right(most_columns * most_depth);
  for (int64_t j0 = 0; j0 < target.columns; j0 += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, target.columns - j0);
    for (int64_t k0 = 0; k0 < depth; k0 += kBlockDepth) {
      const int64_t deep = std::min(kBlockDepth, depth - k0);
      const bool adds = target.adds || k0 > 0;
      for (int64_t j = 0; j < columns; j += tile_columns)
        fill_right(right.data() + j * deep, j0 + j, std::min(tile_columns, columns - j), k0, deep);
      for (int64_t i0 = 0; i0 < target.rows; i0 += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, target.rows - i0);
        for (int64_t i = 0; i < rows; i += tile_rows)
          fill_left(left.data() + i * deep, i0 + i, std::min(tile_rows, rows - i), k0, deep);
        for (int64_t j = 0; j < columns; j += tile_columns) {
          for (int64_t i = 0; i < rows; i += tile_rows)
            multiply_panels(kernels, left.data() + i * deep, right.data() + j * deep, deep,
                            target.data + (i0 + i) * target.row + j0 + j, target.row,
                            std::min(tile_rows, rows - i), std::min(tile_columns, columns - j),
                            adds);
        }
      }
    }
  }
}

// Fills a panel of `width` lines from a matrix: to[d * width + i] = from[i * line + d * step], and
// zero for lines that are not there.
template <class T>
void fill_panel(T* to, int64_t width, const T* from, int64_t line, int64_t step, int64_t lines,
                int64_t depth) {
  if (line == 1) {
    for (int64_t d = 0; d < depth; ++d) {
      std::copy_n(from + d * step, lines, to + d * width);
      std::fill_n(to + d * width + lines, width - lines, T{});
    }
    return;
  }
  constexpr int64_t kRun = 16;  // elements of a line at a time: one or two cache lines
  for (int64_t d0 = 0; d0 < depth; d0 += kRun) {
    const int64_t end = std::min(depth, d0 + kRun);
    for (int64_t i = 0; i < lines; ++i) {
      const T* source = from + i * line;
      if (step == 1) {
        for (int64_t d = d0; d < end; ++d) to[d * width + i] = source[d];
      } else {
        for (int64_t d = d0; d < end; ++d) to[d * width + i] = source[d * step];
      }
    }
    for (int64_t i = lines; i < width; ++i) {
      for (int64_t d = d0; d < end; ++d) to[d * width + i] = T{};
    }
  }
}

}  // namespace opwright
