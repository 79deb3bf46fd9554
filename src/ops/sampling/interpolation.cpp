#include "opwright/ops/sampling/interpolation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

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

bool is_antialiased(Interpolation kind) {
  return kind == Interpolation::SmoothLinear || kind == Interpolation::SmoothCubic ||
         kind == Interpolation::SmoothLanczos;
}

// Half the width of a filter.
template <class C>
C find_reach(Interpolation kind) {
  if (kind == Interpolation::SmoothLanczos) return C{3};
  return kind == Interpolation::SmoothCubic ? C{2} : C{1};
}

// sin(pi x) / (pi x).
template <class C>
C find_sinc(C x) {
  if (x == C{0}) return C{1};
  const C angle = x * std::numbers::pi_v<C>;
  return std::sin(angle) / angle;
}

// A filter at a distance from its center. The cubic one has a = -0.5.
template <class C>
C find_filter(Interpolation kind, C x) {
  const C distance = std::abs(x);
  if (kind == Interpolation::SmoothLinear) return std::max(C{1} - distance, C{0});
  if (kind == Interpolation::SmoothLanczos)
    return distance < C{3} ? find_sinc(distance) * find_sinc(distance / 3) : C{0};
  constexpr C kA = C{-0.5};
  if (distance < C{1}) return ((kA + 2) * distance - (kA + 3)) * distance * distance + 1;
  if (distance < C{2}) return (((distance - 5) * distance + 8) * distance - 4) * kA;
  return C{0};
}

// Each result is the mean of the elements under the filter, which is wider for smaller sizes.
template <class C>
Taps find_smooth_taps(const Resampling& resampling, int64_t in, int64_t out) {
  Taps taps(in);
  const C step = find_step<C>(resampling, in, out);
  const C stretch = std::max(step, C{1});
  const C reach = find_reach<C>(resampling.kind) * stretch;
  const C shrink = C{1} / stretch;
  std::vector<C> weights;
  for (int64_t i = 0; i < out; ++i) {
    const C center = step * (static_cast<C>(i) + C{0.5});
    const int64_t begin = std::clamp<int64_t>(to_index(center - reach + C{0.5}, in), 0, in);
    const int64_t end = std::clamp<int64_t>(to_index(center + reach + C{0.5}, in), begin, in);
    weights.clear();
    C total{};
    for (int64_t k = begin; k < end; ++k) {
      weights.push_back(
          find_filter(resampling.kind, (static_cast<C>(k) - center + C{0.5}) * shrink));
      total += weights.back();
    }
    for (int64_t k = begin; k < end; ++k) {
      const C weight = weights[static_cast<size_t>(k - begin)];
      taps.index.push_back(k);
      taps.weight.push_back(static_cast<double>(total == C{0} ? weight : weight / total));
    }
    taps.finish_result();
  }
  return taps;
}

template <class C>
Taps find_taps(const Resampling& resampling, int64_t in, int64_t out) {
  if (is_antialiased(resampling.kind)) return find_smooth_taps<C>(resampling, in, out);
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
