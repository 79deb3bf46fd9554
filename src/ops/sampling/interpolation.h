// Interpolation between the elements of a dimension: PyTorch's rules for which elements a result is
// made of, and their weights.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "opwright/dtype.h"
#include "opwright/ops/sampling/linear_map.h"

namespace opwright {

enum class Interpolation : uint8_t {
  Nearest,       // the element at floor(position * scale), an old rounding that is kept
  NearestExact,  // the nearest one
  Linear,
  Cubic,
};

// The weights of the four elements around a position, the part t of the way from the second to the
// third: cubic convolution with a = -0.75.
template <class C>
std::array<C, 4> cubic_weights(C t) {
  constexpr C kA = C{-0.75};
  const auto near = [](C x) { return ((kA + 2) * x - (kA + 3)) * x * x + 1; };
  const auto far = [](C x) { return ((kA * x - 5 * kA) * x + 8 * kA) * x - 4 * kA; };
  return {far(t + 1), near(t), near(1 - t), far(2 - t)};
}

// The resampling of a dimension to another size.
struct Resampling {
  Interpolation kind;
  bool align_corners;
  std::optional<double> scale;  // how much larger the result is, where it is not out / in
  // Nearest elements of a dimension that stays as it is or doubles do not depend on the scale.
  bool has_shortcut = false;
};

// Positions are computed in float32 but for float64, as PyTorch does: the nearest element depends
// on it.
[[nodiscard]] Taps resampling_taps(const Resampling& resampling, int64_t in, int64_t out,
                                   DType dtype);

}  // namespace opwright
