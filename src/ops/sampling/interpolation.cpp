#include "opwright/ops/sampling/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace opwright {
namespace {

// Input elements per element of the result.
template <class C>
C find_step(const Resampling& resampling, int64_t in, int64_t out) {
  if (resampling.align_corners)
    return out > 1 ? static_cast<C>(in - 1) / static_cast<C>(out - 1) : C{0};
  const bool uses_scale = !resampling.has_shortcut || (out != in && out != 2 * in);
  if (uses_scale && resampling.scale && *resampling.scale > 0)
    return static_cast<C>(1.0 / *resampling.scale);
  return static_cast<C>(in) / static_cast<C>(out);
}

// The position of a result between the elements of the input.
template <class C>
C find_position(const Resampling& resampling, C step, int64_t result) {
  if (resampling.align_corners) return step * static_cast<C>(result);
  const C half = C{0.5};
  const C position = step * (static_cast<C>(result) + half) - half;
  return resampling.kind == Interpolation::Linear ? std::max(position, C{0}) : position;
}

// Converts a position to an element index; NaN and positions far outside are mapped to just
// outside.
template <class C>
int64_t to_index(C position, int64_t in) {
  constexpr int64_t kFar = 8;
  if (!(position > static_cast<C>(-kFar))) return -kFar;
  return position < static_cast<C>(in + kFar) ? static_cast<int64_t>(position) : in + kFar;
}

template <class C>
int64_t find_nearest(const Resampling& resampling, C step, int64_t in, int64_t result) {
  const bool is_exact = resampling.kind == Interpolation::NearestExact;
  const C position =
      is_exact ? (static_cast<C>(result) + C{0.5}) * step : static_cast<C>(result) * step;
  return std::clamp<int64_t>(to_index(std::floor(position), in), 0, in - 1);
}

template <class C>
Taps find_taps(const Resampling& resampling, int64_t in, int64_t out) {
  Taps taps(in);
  const C step = find_step<C>(resampling, in, out);
  for (int64_t i = 0; i < out; ++i) {
    const auto add = [&](int64_t index, C weight) {
      taps.index.push_back(std::clamp<int64_t>(index, 0, in - 1));
      taps.weight.push_back(static_cast<double>(weight));
    };
    if (resampling.kind == Interpolation::Linear) {
      const C position = in == out ? static_cast<C>(i) : find_position(resampling, step, i);
      const int64_t before = std::min(to_index(position, in), in - 1);
      const C part = std::clamp(position - static_cast<C>(before), C{0}, C{1});
      add(before, C{1} - part);
      add(before + 1, part);
    } else if (resampling.kind == Interpolation::Cubic) {
      const C position = find_position(resampling, step, i);
      const C before = std::floor(position);
      const std::array<C, 4> weights = cubic_weights(position - before);
      for (size_t k = 0; k < weights.size(); ++k)
        add(to_index(before, in) - 1 + static_cast<int64_t>(k), weights[k]);
    } else {
      taps.index.push_back(find_nearest(resampling, step, in, i));
    }
    taps.finish_result();
  }
  return taps;
}

}  // namespace

Taps resampling_taps(const Resampling& resampling, int64_t in, int64_t out, DType dtype) {
  return dtype == DType::Float64 ? find_taps<double>(resampling, in, out)
                                 : find_taps<float>(resampling, in, out);
}

}  // namespace opwright
