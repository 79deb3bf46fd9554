// Positions of a grid in blocks, as vectors: the elements of each dimension that they take part of.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/sampling/grid_points.h"
#include "opwright/ops/sampling/interpolation.h"

namespace opwright {

// The positions of a block.
constexpr int64_t kPositions = 64;

// Of one dimension, at most four elements of each position.
template <class C>
struct Line {
  int32_t index[4][kPositions];  // -1 if there is no such element
  C weight[4][kPositions];
};

// The elements of a position in one dimension.
constexpr size_t elements_of(SamplingMode mode) {
  if (mode == SamplingMode::Bicubic) return 4;
  return mode == SamplingMode::Bilinear ? 2 : 1;
}

// -1 if there is no such element.
template <class C>
OPWRIGHT_INLINE int32_t element_at(C position, C size) {
  const bool exists = (position > C{-1}) & (position < size);
  return static_cast<int32_t>(exists ? position : C{-1});
}

// Finds the elements of `count` positions: grid[i * step] is that of position i.
template <class C, SamplingMode kMode>
OPWRIGHT_INLINE void find_line(const C* grid, int64_t step, int64_t count, int64_t size,
                               const Sampling& sampling, Line<C>* line) {
  const auto end = static_cast<C>(size);
  C at[kPositions];
  for (int64_t i = 0; i < count; ++i) {
    at[i] = scale(grid[i * step], size, sampling.align_corners);
    if constexpr (kMode != SamplingMode::Bicubic) at[i] = bring_inside(at[i], size, sampling);
  }
  if constexpr (kMode == SamplingMode::Nearest) {
    for (int64_t i = 0; i < count; ++i) {
      line->index[0][i] = element_at(std::nearbyint(at[i]), end);
      line->weight[0][i] = C{1};
    }
  } else if constexpr (kMode == SamplingMode::Bilinear) {
    for (int64_t i = 0; i < count; ++i) {
      const C before = std::floor(at[i]);
      line->index[0][i] = element_at(before, end);
      line->index[1][i] = element_at(before + 1, end);
      line->weight[0][i] = before + 1 - at[i];
      line->weight[1][i] = at[i] - before;
    }
  } else {
    C before[kPositions];
    for (int64_t i = 0; i < count; ++i) {
      before[i] = std::floor(at[i]);
      const std::array<C, 4> weights = cubic_weights(at[i] - before[i]);
      for (size_t k = 0; k < 4; ++k) line->weight[k][i] = weights[k];
    }
    for (size_t k = 0; k < 4; ++k) {
      for (int64_t i = 0; i < count; ++i) {
        const C position = bring_inside(before[i] + static_cast<C>(k) - 1, size, sampling);
        line->index[k][i] = element_at(position, end);
      }
    }
  }
}

// The derivatives of these weights with respect to the grid; those of nearest are zero.
template <class C, SamplingMode kMode>
OPWRIGHT_INLINE void find_slopes(const C* grid, int64_t step, int64_t count, int64_t size,
                                 const Sampling& sampling, C (*slope)[kPositions]) {
  const C span = static_cast<C>(sampling.align_corners ? size - 1 : size) / 2;
  if constexpr (kMode == SamplingMode::Nearest) {
    for (int64_t i = 0; i < count; ++i) slope[0][i] = C{0};
  } else if constexpr (kMode == SamplingMode::Bilinear) {
    for (int64_t i = 0; i < count; ++i) {
      const C position = scale(grid[i * step], size, sampling.align_corners);
      const C of_weight = span * direction_inside(position, size, sampling);
      slope[0][i] = -of_weight;
      slope[1][i] = of_weight;
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const C position = scale(grid[i * step], size, sampling.align_corners);
      const std::array<C, 4> slopes = cubic_slopes(position - std::floor(position));
      for (size_t k = 0; k < 4; ++k) slope[k][i] = span * slopes[k];
    }
  }
}

}  // namespace opwright
