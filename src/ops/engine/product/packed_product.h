// A large floating-point product: blocks of both factors are copied into panels in the order in
// which the tile kernels read them, so that a block of the right factor stays in the L2 cache and a
// panel in L1. The caller fills the panels, from a matrix of any strides or from an image.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/scratch_memory.h"
#include "opwright/ops/engine/product/tile_kernel.h"

namespace opwright {

inline constexpr int64_t kBlockDepth = 256;
inline constexpr int64_t kBlockRows = 96;           // a multiple of every kernel's rows
inline constexpr int64_t kBlockColumnBytes = 4096;  // a multiple of every kernel's columns
inline constexpr int64_t kLargestTile = 256;        // elements, 8 rows of 32

// A block of the result: dense rows, `row` elements apart.
template <class T>
struct ProductTarget {
  TileSum<T>* data;
  int64_t row;
  int64_t rows, columns;
  bool adds;  // to the existing values
};

// One packed panel pair: `rows` by `columns` elements of the result.
template <class T>
void multiply_panels(const TileKernels<T>& kernels, const T* left, const T* right, int64_t depth,
                     TileSum<T>* c, int64_t c_row, int64_t rows, int64_t columns, bool adds) {
  const int64_t lanes = kernels.lanes;
  const size_t vectors = columns > lanes ? 1 : 0;
  const int64_t width = lanes * (static_cast<int64_t>(vectors) + 1);
  for (int64_t r = 0; r < rows;) {
    const size_t height = kernels.height_for(rows - r);
    const auto kernel = kernels.packed[height][vectors];
    Tile<T> tile{left + r, 1,   kernels.tile_rows(), right, 2 * lanes, c + r * c_row, c_row,
                 depth,    adds};
    if (columns == width) {
      kernel(tile);
    } else {
      std::array<TileSum<T>, kLargestTile> whole;
      tile.c = whole.data();
      tile.c_row = width;
      tile.adds = false;
      kernel(tile);
      for (int64_t i = 0; i < kernels.rows[height]; ++i) {
        TileSum<T>* to = c + (r + i) * c_row;
        const TileSum<T>* from = whole.data() + i * width;
        for (int64_t j = 0; j < columns; ++j) to[j] = adds ? to[j] + from[j] : from[j];
      }
    }
    r += kernels.rows[height];
  }
}

// fill_left(T* to, row, rows, k, depth) writes to[d * tile_rows + r], fill_right(T* to, column,
// columns, k, depth) writes to[d * tile_columns + j]; for missing rows and columns of a panel they
// write zeros or anything finite. `depth` > 0.
template <class T, class FillLeft, class FillRight>
void multiply_packed(const ProductTarget<T>& target, int64_t depth, const FillLeft& fill_left,
                     const FillRight& fill_right) {
  const TileKernels<T>& kernels = tile_kernels<T>();
  const int64_t tile_rows = kernels.tile_rows();
  const int64_t tile_columns = kernels.tile_columns();
  const auto round_up = [](int64_t value, int64_t step) {
    return (value + step - 1) / step * step;
  };
  constexpr int64_t kBlockColumns = kBlockColumnBytes / static_cast<int64_t>(sizeof(T));
  const int64_t most_columns = std::min(kBlockColumns, round_up(target.columns, tile_columns));
  const int64_t most_rows = std::min(kBlockRows, round_up(target.rows, tile_rows));
  const int64_t most_depth = std::min(kBlockDepth, depth);
  const ScratchMemory memory(static_cast<size_t>((most_rows + most_columns) * most_depth) *
                             sizeof(T));
  T* const right = memory.data<T>();  // lines are entire vectors
  T* const left = right + most_columns * most_depth;
  for (int64_t j0 = 0; j0 < target.columns; j0 += kBlockColumns) {
    const int64_t columns = std::min(kBlockColumns, target.columns - j0);
    for (int64_t k0 = 0; k0 < depth; k0 += kBlockDepth) {
      const int64_t deep = std::min(kBlockDepth, depth - k0);
      const bool adds = target.adds || k0 > 0;
      for (int64_t j = 0; j < columns; j += tile_columns)
        fill_right(right + j * deep, j0 + j, std::min(tile_columns, columns - j), k0, deep);
      for (int64_t i0 = 0; i0 < target.rows; i0 += kBlockRows) {
        const int64_t rows = std::min(kBlockRows, target.rows - i0);
        for (int64_t i = 0; i < rows; i += tile_rows)
          fill_left(left + i * deep, i0 + i, std::min(tile_rows, rows - i), k0, deep);
        for (int64_t j = 0; j < columns; j += tile_columns) {
          for (int64_t i = 0; i < rows; i += tile_rows)
            multiply_panels(kernels, left + i * deep, right + j * deep, deep,
                            target.data + (i0 + i) * target.row + j0 + j, target.row,
                            std::min(tile_rows, rows - i), std::min(tile_columns, columns - j),
                            adds);
        }
      }
    }
  }
}

// Copies a few elements without a call: the full lines of panels as vectors.
template <class T>
OPWRIGHT_INLINE void copy_line(T* to, const T* from, int64_t count) {
  if (count == 32) {
    std::memcpy(to, from, 32 * sizeof(T));
  } else if (count == 16) {
    std::memcpy(to, from, 16 * sizeof(T));
  } else {
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) std::memcpy(to + i, from + i, 4 * sizeof(T));
    for (; i < count; ++i) to[i] = from[i];
  }
}

// A panel whose lines are dense the other way round in memory: rows of a right factor.
template <class T>
struct CopyLinesLoop {
  OPWRIGHT_INLINE static void run(T* to, int64_t width, const T* from, int64_t step, int64_t lines,
                                  int64_t depth) {
    for (int64_t d = 0; d < depth; ++d) {
      copy_line(to + d * width, from + d * step, lines);
      for (int64_t i = lines; i < width; ++i) to[d * width + i] = T{};
    }
  }
};

// to[d * width + i] = element d of line i, for four lines and four elements of each. An element of
// T may be several of the source; `line` counts those of the source.
template <class T, class Source>
OPWRIGHT_INLINE void transpose_block(T* to, int64_t width, const Source* from, int64_t line) {
  using Four [[gnu::vector_size(4 * sizeof(T))]] = T;
  Four rows[4];
  for (int64_t i = 0; i < 4; ++i) std::memcpy(&rows[i], from + i * line, sizeof(Four));
  const Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  const Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
  const Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
  const Four columns[] = {
      __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
      __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
  for (int64_t i = 0; i < 4; ++i) std::memcpy(to + i * width, &columns[i], sizeof(Four));
}

// A panel from lines that are dense in memory: four by four, and the rest one by one.
template <class T, class Source = T>
struct TransposeLinesLoop {
  OPWRIGHT_INLINE static void run(T* to, int64_t width, const Source* from, int64_t line,
                                  int64_t lines, int64_t depth) {
    constexpr auto kEach = static_cast<int64_t>(sizeof(T)) / static_cast<int64_t>(sizeof(Source));
    const int64_t whole_lines = lines / 4 * 4;
    const int64_t whole_depth = depth / 4 * 4;
    for (int64_t i = 0; i < whole_lines; i += 4) {
      for (int64_t d = 0; d < whole_depth; d += 4)
        transpose_block(to + d * width + i, width, from + i * line + d * kEach, line);
    }
    for (int64_t d = 0; d < depth; ++d) {
      for (int64_t i = d < whole_depth ? whole_lines : 0; i < lines; ++i)
        std::memcpy(to + d * width + i, from + i * line + d * kEach, sizeof(T));
      for (int64_t i = lines; i < width; ++i) to[d * width + i] = T{};
    }
  }
};

// Fills a panel of `width` lines from a matrix: to[d * width + i] = from[i * line + d * step], with
// zeros for missing lines.
template <class T>
void fill_panel(T* to, int64_t width, const T* from, int64_t line, int64_t step, int64_t lines,
                int64_t depth) {
  if (line == 1) return run_at_level<CopyLinesLoop<T>>(to, width, from, step, lines, depth);
  if (step == 1) return run_at_level<TransposeLinesLoop<T>>(to, width, from, line, lines, depth);
  constexpr int64_t kRun = 16;  // elements of a line at a time: one or two cache lines
  for (int64_t d0 = 0; d0 < depth; d0 += kRun) {
    const int64_t end = std::min(depth, d0 + kRun);
    for (int64_t i = 0; i < lines; ++i) {
      const T* source = from + i * line;
      for (int64_t d = d0; d < end; ++d) to[d * width + i] = source[d * step];
    }
    for (int64_t i = lines; i < width; ++i) {
      for (int64_t d = d0; d < end; ++d) to[d * width + i] = T{};
    }
  }
}

}  // namespace opwright
