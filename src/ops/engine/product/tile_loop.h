// The loop of tile_kernel.h for every level, shared by the two sources of tile kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/engine/product/tile_kernel.h"

namespace opwright {

// `kBytes` is the width of a vector; kPanel is the height of packed panels, 0 for any strides.
template <class T, int64_t kBytes, int64_t kRows, int64_t kVectors, int64_t kPanel>
struct TileLoop {
  OPWRIGHT_INLINE static void run(const Tile<T>& tile) {
    using Vector [[gnu::vector_size(kBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
    const T* a = tile.a;
    const T* b = tile.b;
    const int64_t a_row = kPanel != 0 ? 1 : tile.a_row;
    const int64_t a_column = kPanel != 0 ? kPanel : tile.a_column;
    const int64_t b_row = tile.b_row;
    const int64_t c_row = tile.c_row;
    Vector sums[kRows][kVectors];  // NOLINT(modernize-avoid-c-arrays): stays in registers
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t v = 0; v < kVectors; ++v) sums[r][v] = Vector{};
    }
    for (int64_t k = tile.depth; k > 0; --k) {
      Vector right[kVectors];  // NOLINT(modernize-avoid-c-arrays)
      for (int64_t v = 0; v < kVectors; ++v)
        right[v] = *reinterpret_cast<const Vector*>(b + v * kLanes);
      for (int64_t r = 0; r < kRows; ++r) {
        const T factor = a[r * a_row];
        for (int64_t v = 0; v < kVectors; ++v) sums[r][v] += factor * right[v];
      }
      a += a_column;
      b += b_row;
    }
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t v = 0; v < kVectors; ++v) {
        auto* target = reinterpret_cast<Vector*>(tile.c + r * c_row + v * kLanes);
        *target = tile.adds ? *target + sums[r][v] : sums[r][v];
      }
    }
  }
};

// The sum of the lanes of a vector, as a tree.
template <class T, class Vector, size_t... kPlaces>
OPWRIGHT_INLINE T sum_lanes(const Vector& vector, std::index_sequence<kPlaces...> /*of a half*/) {
  constexpr size_t kHalf = sizeof...(kPlaces);
  if constexpr (kHalf == 1) {
    return vector[0] + vector[1];
  } else {
    using HalfVector [[gnu::vector_size(kHalf * sizeof(T))]] = T;
    const HalfVector sums = __builtin_shufflevector(vector, vector, kPlaces...) +
                            __builtin_shufflevector(vector, vector, (kHalf + kPlaces)...);
    return sum_lanes<T>(sums, std::make_index_sequence<kHalf / 2>());
  }
}

// A tile of LineKernels.
template <class T, int64_t kBytes, int64_t kRows, int64_t kColumns>
struct LineLoop {
  OPWRIGHT_INLINE static void run(const Tile<T>& tile) {
    using Vector [[gnu::vector_size(kBytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
    constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
    Vector sums[kRows][kColumns];  // NOLINT(modernize-avoid-c-arrays): stays in registers
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < kColumns; ++j) sums[r][j] = Vector{};
    }
    const int64_t whole = tile.depth / kLanes * kLanes;
    for (int64_t k = 0; k < whole; k += kLanes) {
      Vector right[kColumns];  // NOLINT(modernize-avoid-c-arrays)
      for (int64_t j = 0; j < kColumns; ++j)
        right[j] = *reinterpret_cast<const Vector*>(tile.b + j * tile.b_row + k);
      for (int64_t r = 0; r < kRows; ++r) {
        const Vector left = *reinterpret_cast<const Vector*>(tile.a + r * tile.a_row + k);
        for (int64_t j = 0; j < kColumns; ++j) sums[r][j] += left * right[j];
      }
    }
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t j = 0; j < kColumns; ++j) {
        T sum = sum_lanes<T>(sums[r][j], std::make_index_sequence<kLanes / 2>());
        for (int64_t k = whole; k < tile.depth; ++k)
          sum += tile.a[r * tile.a_row + k] * tile.b[j * tile.b_row + k];
        tile.c[r * tile.c_row + j] = sum;
      }
    }
  }
};

// Call a loop at a level; the type identifies it, so that each is compiled once.
struct AtBaseline {
  static constexpr int64_t kBytes = 16;
  static constexpr int64_t kRows = 4;
  template <class Loop, class T>
  [[gnu::noinline]] static void run(const Tile<T>& tile) {
    Loop::run(tile);
  }
};
#if defined(__x86_64__)
struct AtAvx2 {
  static constexpr int64_t kBytes = 32;
  static constexpr int64_t kRows = 6;
  template <class Loop, class T>
  OPWRIGHT_AVX2 static void run(const Tile<T>& tile) {
    Loop::run(tile);
  }
};
struct AtAvx512 {
  static constexpr int64_t kBytes = 64;
  static constexpr int64_t kRows = 8;
  template <class Loop, class T>
  OPWRIGHT_AVX512 static void run(const Tile<T>& tile) {
    Loop::run(tile);
  }
};
#endif

template <class T, class Level, int64_t kRows, int64_t kPanel>
constexpr std::array<typename TileKernels<T>::Function, 2> kernels_of_height() {
  return {&Level::template run<TileLoop<T, Level::kBytes, kRows, 1, kPanel>, T>,
          &Level::template run<TileLoop<T, Level::kBytes, kRows, 2, kPanel>, T>};
}

template <class T, class Level>
constexpr TileKernels<T> kernels_of_level() {
  constexpr int64_t kRows = Level::kRows;
  return {.lanes = Level::kBytes / static_cast<int64_t>(sizeof(T)),
          .rows = {kRows, 4, 2, 1},
          .strided = {kernels_of_height<T, Level, kRows, 0>(), kernels_of_height<T, Level, 4, 0>(),
                      kernels_of_height<T, Level, 2, 0>(), kernels_of_height<T, Level, 1, 0>()},
          .packed = {
              kernels_of_height<T, Level, kRows, kRows>(), kernels_of_height<T, Level, 4, kRows>(),
              kernels_of_height<T, Level, 2, kRows>(), kernels_of_height<T, Level, 1, kRows>()}};
}

template <class T, class Level>
constexpr LineKernels<T> line_kernels_of_level() {
  constexpr int64_t kBytes = Level::kBytes;
  constexpr int64_t kColumns = kBytes == 64 ? 4 : 2;  // the registers hold the sums of 4 rows
  return {.lanes = kBytes / static_cast<int64_t>(sizeof(T)),
          .rows = {4, 2, 1},
          .columns = kColumns,
          .wide = {&Level::template run<LineLoop<T, kBytes, 4, kColumns>, T>,
                   &Level::template run<LineLoop<T, kBytes, 2, kColumns>, T>,
                   &Level::template run<LineLoop<T, kBytes, 1, kColumns>, T>},
          .narrow = {&Level::template run<LineLoop<T, kBytes, 4, 1>, T>,
                     &Level::template run<LineLoop<T, kBytes, 2, 1>, T>,
                     &Level::template run<LineLoop<T, kBytes, 1, 1>, T>}};
}

// The kernels that `make` gives for the level of this machine.
template <class Kernels, class Make>
const Kernels& kernels_of_machine(Make make) {
  static const Kernels kernels = [&]() -> Kernels {
#if defined(__x86_64__)
    if (kCpuLevel == CpuLevel::Avx512) return make.template operator()<AtAvx512>();
    if (kCpuLevel == CpuLevel::Avx2) return make.template operator()<AtAvx2>();
#endif
    return make.template operator()<AtBaseline>();
  }();
  return kernels;
}

}  // namespace opwright
