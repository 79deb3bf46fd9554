// Positions of a grid in an image: the elements of one dimension that a position takes part of.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/sampling/interpolation.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"

namespace opwright {

// PyTorch's values.
enum class SamplingMode : uint8_t { Bilinear, Nearest, Bicubic };
enum class Outside : uint8_t { Zeros, Border, Reflection };

struct Sampling {
  SamplingMode mode;
  Outside outside;
  bool align_corners;
};

// ValueError for other numbers; only images have the mode bicubic.
[[nodiscard]] Sampling describe_sampling(const char* who, int64_t interpolation_mode,
                                         int64_t padding_mode, bool align_corners, size_t ndim);

// The sizes after sampling images or volumes, whose planes have `ndim` dimensions. TypeError,
// ValueError.
[[nodiscard]] SymSizes sampled_sizes(const char* who, const Tensor& input, const Tensor& grid,
                                     size_t ndim);

// Reflects back and forth between the first and the last element, or their outer edges.
template <class C>
OPWRIGHT_INLINE C reflect(C position, C low, C span) {
  if (span == C{0}) return C{0};
  const C distance = std::abs(position - low);
  const C rest = std::fmod(distance, span);
  const bool is_even = std::fmod(std::floor(distance / span), C{2}) == C{0};
  return is_even ? rest + low : span - rest + low;
}

template <class C>
OPWRIGHT_INLINE C clip(C position, int64_t size) {
  // The order of the operands matters: NaN becomes 0.
  return std::min(static_cast<C>(size - 1), std::max(C{0}, position));
}

// A position in elements that is inside, or anywhere if outside is zeros.
template <class C>
OPWRIGHT_INLINE C bring_inside(C position, int64_t size, const Sampling& sampling) {
  const auto count = static_cast<C>(size);
  if (sampling.outside == Outside::Border) return clip(position, size);
  if (sampling.outside == Outside::Reflection) {
    const C reflected = sampling.align_corners ? reflect(position, C{0}, count - 1)
                                               : reflect(position, C{-0.5}, count);
    return clip(reflected, size);
  }
  return position;
}

// The derivative of bring_inside: 1, -1 where positions are reflected, 0 at the border and beyond.
template <class C>
OPWRIGHT_INLINE C direction_inside(C position, int64_t size, const Sampling& sampling) {
  if (sampling.outside == Outside::Zeros) return C{1};
  const auto count = static_cast<C>(size);
  C direction{1};
  if (sampling.outside == Outside::Reflection) {
    const C low = sampling.align_corners ? C{0} : C{-0.5};
    const C span = sampling.align_corners ? count - 1 : count;
    if (span == C{0}) return C{0};
    const C turns = std::floor(std::abs(position - low) / span);
    const bool is_even = std::fmod(turns, C{2}) == C{0};
    direction = (position >= low) == is_even ? C{1} : C{-1};
    position = reflect(position, low, span);
  }
  const bool is_inside = (position > C{0}) & (position < count - 1);
  return is_inside ? direction : C{0};
}

// Converts from [-1, 1] to elements.
template <class C>
OPWRIGHT_INLINE C scale(C position, int64_t size, bool align_corners) {
  const auto count = static_cast<C>(size);
  return align_corners ? (position + 1) / 2 * (count - 1) : ((position + 1) * count - 1) / 2;
}

// The index of an element, -1 if there is none. A float may exceed every index.
template <class C>
OPWRIGHT_INLINE int64_t index_of(C position, int64_t size) {
  return position > C{-1} && position < static_cast<C>(size) ? static_cast<int64_t>(position) : -1;
}

// At most four elements of a dimension with their weights.
template <class C>
struct Points {
  std::array<int64_t, 4> index{};
  std::array<C, 4> weight{};
  size_t count = 0;

  void add(int64_t at, C by) {
    index[count] = at;
    weight[count++] = by;
  }
};

// Of a volume.
template <class C>
OPWRIGHT_INLINE Points<C> find_points(C grid, int64_t size, const Sampling& sampling) {
  Points<C> points;
  const C unbounded = scale(grid, size, sampling.align_corners);
  if (sampling.mode == SamplingMode::Bicubic) {
    const C before = std::floor(unbounded);
    const std::array<C, 4> weights = cubic_weights(unbounded - before);
    for (size_t k = 0; k < 4; ++k) {
      const C position = bring_inside(before + static_cast<C>(k) - 1, size, sampling);
      points.add(index_of(position, size), weights[k]);
    }
    return points;
  }
  C position = bring_inside(unbounded, size, sampling);
  // As in PyTorch, NaN is the last element of a volume, but the first one of an image.
  if (std::isnan(unbounded) && sampling.outside != Outside::Zeros)
    position = static_cast<C>(size - 1);
  if (sampling.mode == SamplingMode::Nearest) {
    points.add(index_of(std::nearbyint(position), size), C{1});
    return points;
  }
  const C before = std::floor(position);
  points.add(index_of(before, size), before + 1 - position);
  points.add(index_of(before + 1, size), position - before);
  return points;
}

}  // namespace opwright
