// Interpolation along a dimension: PyTorch's rules for which elements contribute to a result, and
// their weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "opwright/dtype.h"
#include "opwright/ops/engine/cpu/cpu_level.h"
#include "opwright/ops/sampling/linear_map.h"

namespace opwright {

enum class Interpolation : uint8_t {
  Nearest,       // the element at floor(position * scale), kept for compatibility
  NearestExact,  // the nearest element
  Linear,
  Cubic,
  // Antialiased: a filter of as many elements as a result covers.
  SmoothLinear,
  SmoothCubic,
  SmoothLanczos,
};

// Cubic convolution with a = -0.75: the weights of four elements around a position, at fraction t
// from the second to the third.
template <class C>
OPWRIGHT_INLINE std::array<C, 4> cubic_weights(C t) {
  constexpr C kA = C{-0.75};
  const auto near = [](C x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const auto far = [](C x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// The derivatives of these weights with respect to t.
template <class C>
OPWRIGHT_INLINE std::array<C, 4> cubic_slopes(C t) {
  constexpr C kA = C{-0.75};
  const auto near = [](C x) { return (3 * (kA + 2) * x - 2 * (kA + 3)) * x; };
  const auto far = [](C x) { return (3 * kA * x - 10 * kA) * x + 8 * kA; };
  return {far(t + 1), near(t), -near(1 - t), -far(2 - t)};
}

// Resamples a dimension to another size.
struct Resampling {
  Interpolation kind;
  bool align_corners;
  std::optional<double> scale;  // output size over input size, if it is not out / in
  // For nearest: the scale is ignored if the size is unchanged or doubled.
  bool has_shortcut = false;
};

// Positions are computed in float32, except for float64, as in PyTorch: the nearest element depends
// on it.
[[nodiscard]] Taps resampling_taps(const Resampling& resampling, int64_t in, int64_t out,
                                   DType dtype);

}  // namespace opwright
