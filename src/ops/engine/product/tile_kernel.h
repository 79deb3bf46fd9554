// The innermost loop of floating-point products: one tile of the result, kept in vector registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "opwright/ops/engine/product/bfloat16_pair.h"

namespace opwright {

// The type of a product's sums, for factors of type T.
template <class T>
using TileSum = std::conditional_t<std::is_same_v<T, BFloat16Pair>, float, T>;

// c[r, j] = (adds ? c[r, j] : 0) + sum over k of a[r, k] * b[k, j], for the rows and columns of one
// kernel. Strides are in elements; rows of `b` and of `c` are dense.
template <class T>
struct Tile {
  const T* a;
  int64_t a_row, a_column;
  const T* b;
  int64_t b_row;
  TileSum<T>* c;
  int64_t c_row;
  int64_t depth;
  bool adds;
};

// The kernels of one CPU level.
template <class T>
struct TileKernels {
  using Function = void (*)(const Tile<T>&);
  static constexpr size_t kHeights = 4;

  int64_t lanes;                       // columns per vector; a kernel uses one or two
  std::array<int64_t, kHeights> rows;  // per kernel, descending to 1
  // [height][vectors - 1]. Packed kernels assume a_row = 1 and a_column = rows[0] and ignore the
  // arguments.
  std::array<std::array<Function, 2>, kHeights> strided;
  std::array<std::array<Function, 2>, kHeights> packed;

  [[nodiscard]] int64_t tile_rows() const { return rows[0]; }
  [[nodiscard]] int64_t tile_columns() const { return 2 * lanes; }
  // The tallest kernel with at most `left` rows.
  [[nodiscard]] size_t height_for(int64_t left) const {
    size_t height = 0;
    while (rows[height] > left) ++height;
    return height;
  }
};

// The kernels for this machine; T is float or double, or BFloat16Pair if has_bfloat16_pairs(). The
// kernels of pairs are packed only.
template <class T>
[[nodiscard]] const TileKernels<T>& tile_kernels();
template <>
const TileKernels<float>& tile_kernels();
template <>
const TileKernels<double>& tile_kernels();
template <>
const TileKernels<BFloat16Pair>& tile_kernels();

// Kernels that read both factors in place, in vectors along the depth: rows of `a` and columns of
// `b` are dense. In their tiles, `b_row` is the distance of the columns of `b`.
template <class T>
struct LineKernels {
  using Function = void (*)(const Tile<T>&);
  static constexpr size_t kHeights = 3;

  int64_t lanes;                                // elements of a vector
  std::array<int64_t, kHeights> rows;           // per kernel, descending to 1
  int64_t columns;                              // of a wide kernel
  std::array<Function, kHeights> wide, narrow;  // a narrow kernel has one column
};

// The kernels for this machine; T is float or double.
template <class T>
[[nodiscard]] const LineKernels<T>& line_kernels();
template <>
const LineKernels<float>& line_kernels();
template <>
const LineKernels<double>& line_kernels();

}  // namespace opwright
