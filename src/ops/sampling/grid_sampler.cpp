// grid_sampler_2d: samples an image at the positions of a grid.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/sampling/interpolation.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

constexpr const char* kGridSampler = "grid_sampler_2d";

// PyTorch's values.
enum class SamplingMode : uint8_t { Bilinear, Nearest, Bicubic };
enum class Outside : uint8_t { Zeros, Border, Reflection };

struct Sampling {
  SamplingMode mode;
  Outside outside;
  bool align_corners;
};

Sampling describe_sampling(int64_t interpolation_mode, int64_t padding_mode, bool align_corners) {
  OPWRIGHT_CHECK_VALUE(
      interpolation_mode >= 0 && interpolation_mode <= 2, kGridSampler,
      ": interpolation_mode must be 0 (bilinear), 1 (nearest) or 2 (bicubic), got ",
      interpolation_mode);
  OPWRIGHT_CHECK_VALUE(padding_mode >= 0 && padding_mode <= 2, kGridSampler,
                       ": padding_mode must be 0 (zeros), 1 (border) or 2 (reflection), got ",
                       padding_mode);
  return {static_cast<SamplingMode>(interpolation_mode), static_cast<Outside>(padding_mode),
          align_corners};
}

SymSizes sampled_sizes(const Tensor& input, const Tensor& grid) {
  check_plane_dtype(kGridSampler, "input", input.dtype());
  OPWRIGHT_CHECK_TYPE(input.dtype() == grid.dtype(), kGridSampler, ": grid of ", grid.dtype(),
                      " must have the dtype of input, ", input.dtype());
  const SymSizes image = sym_geometry_of(input).sizes;
  const SymSizes points = sym_geometry_of(grid).sizes;
  const std::string problem =
      concatenate(kGridSampler, ": input [batch, channels, height, width] with elements and grid ",
                  "[the same batch, rows, columns, 2] are needed, got ", to_text(image), " and ",
                  to_text(points));
  OPWRIGHT_CHECK_VALUE(image.size() == 4 && points.size() == 4, problem);
  check(image[0] == points[0], problem);
  check(points[3] == 2, problem);
  for (size_t i = 1; i < 4; ++i) check(image[i] > 0, problem);
  return SymSizes{image[0], image[1], points[1], points[2]};
}

// Reflects back and forth between the first and the last element, or their outer edges.
template <class C>
C reflect(C position, C low, C span) {
  if (span == C{0}) return C{0};
  const C distance = std::abs(position - low);
  const C rest = std::fmod(distance, span);
  const bool is_even = std::fmod(std::floor(distance / span), C{2}) == C{0};
  return is_even ? rest + low : span - rest + low;
}

template <class C>
C clip(C position, int64_t size) {
  // NaN becomes 0.
  return std::min(static_cast<C>(size - 1), std::max(position, C{0}));
}

// A position in elements that is inside, or anywhere if outside is zeros.
template <class C>
C bring_inside(C position, int64_t size, const Sampling& sampling) {
  const auto count = static_cast<C>(size);
  if (sampling.outside == Outside::Border) return clip(position, size);
  if (sampling.outside == Outside::Reflection) {
    const C reflected = sampling.align_corners ? reflect(position, C{0}, count - 1)
                                               : reflect(position, C{-0.5}, count);
    return clip(reflected, size);
  }
  return position;
}

// Converts from [-1, 1] to elements.
template <class C>
C scale(C position, int64_t size, bool align_corners) {
  const auto count = static_cast<C>(size);
  return align_corners ? (position + 1) / 2 * (count - 1) : ((position + 1) * count - 1) / 2;
}

// The index of an element, -1 if there is none. A float may exceed every index.
template <class C>
int64_t index_of(C position, int64_t size) {
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

template <class C>
Points<C> find_points(C grid, int64_t size, const Sampling& sampling) {
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
  const C position = bring_inside(unbounded, size, sampling);
  if (sampling.mode == SamplingMode::Nearest) {
    points.add(index_of(std::nearbyint(position), size), C{1});
    return points;
  }
  const C before = std::floor(position);
  points.add(index_of(before, size), before + 1 - position);
  points.add(index_of(before + 1, size), position - before);
  return points;
}

template <class C>
void sample(const Sampling& sampling, const Tensor& input, const Tensor& grid,
            const Tensor& output) {
  const int64_t channels = input.size(1);
  const int64_t height = input.size(2);
  const int64_t width = input.size(3);
  const int64_t results = output.size(2) * output.size(3);
  const C* images = input.data<C>();
  const C* positions = grid.data<C>();
  C* out = output.mutable_data<C>();
  // Each grid position is used for every channel.
  parallel_for(
      input.size(0) * results, std::max<int64_t>(1, 4096 / channels),
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const Points<C> x = find_points(positions[2 * i], width, sampling);
          const Points<C> y = find_points(positions[2 * i + 1], height, sampling);
          const int64_t batch = i / results;
          for (int64_t channel = batch * channels; channel < (batch + 1) * channels; ++channel) {
            const C* image = images + channel * height * width;
            C sum{};
            for (size_t j = 0; j < y.count; ++j) {
              for (size_t k = 0; k < x.count; ++k) {
                if (y.index[j] < 0 || x.index[k] < 0) continue;
                sum += image[y.index[j] * width + x.index[k]] * (y.weight[j] * x.weight[k]);
              }
            }
            out[channel * results + i % results] = sum;
          }
        }
      });
}

}  // namespace

Tensor grid_sampler_2d_cpu(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, bool align_corners) {
  const Sampling sampling = describe_sampling(interpolation_mode, padding_mode, align_corners);
  const Sizes sizes = plain_sizes(sampled_sizes(input, grid));
  const DType wide = input.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor output = make_empty(sizes, wide);
  if (output.numel() != 0) {
    const Tensor image = as_contiguous(as_dtype(input, wide));
    const Tensor positions = as_contiguous(as_dtype(grid, wide));
    if (wide == DType::Float64)
      sample<double>(sampling, image, positions, output);
    else
      sample<float>(sampling, image, positions, output);
  }
  return as_dtype(output, input.dtype());
}

FakeTensor grid_sampler_2d_fake(const FakeTensor& input, const FakeTensor& grid,
                                int64_t interpolation_mode, int64_t padding_mode,
                                bool align_corners) {
  (void)describe_sampling(interpolation_mode, padding_mode, align_corners);
  return make_fake_like(input, sampled_sizes(as_tensor(input), as_tensor(grid)), input.dtype());
}

}  // namespace opwright
