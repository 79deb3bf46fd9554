// grid_sampler_3d: samples a volume at the positions of a grid.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/sampling/grid_points.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/factory.h"

namespace opwright {
namespace {

constexpr const char* kGridSampler3d = "grid_sampler_3d";

// The elements that a position takes part of, with the product of their weights.
template <class C>
struct Corners {
  std::array<int64_t, 8> place{};
  std::array<C, 8> weight{};
  size_t count = 0;

  Corners(const Points<C>& z, const Points<C>& y, const Points<C>& x, int64_t height,
          int64_t width) {
    for (size_t i = 0; i < z.count; ++i) {
      for (size_t j = 0; j < y.count; ++j) {
        for (size_t k = 0; k < x.count; ++k) {
          if (z.index[i] < 0 || y.index[j] < 0 || x.index[k] < 0) continue;
          place[count] = (z.index[i] * height + y.index[j]) * width + x.index[k];
          weight[count++] = x.weight[k] * y.weight[j] * z.weight[i];
        }
      }
    }
  }
};

template <class C>
void sample_volume(const Sampling& sampling, const Tensor& input, const Tensor& grid,
                   const Tensor& output) {
  const int64_t channels = input.size(1);
  const int64_t depth = input.size(2);
  const int64_t height = input.size(3);
  const int64_t width = input.size(4);
  const int64_t volume = depth * height * width;
  const int64_t results = output.size(2) * output.size(3) * output.size(4);
  const C* volumes = input.data<C>();
  const C* positions = grid.data<C>();
  C* out = output.mutable_data<C>();
  // Each grid position is used for every channel.
  parallel_for(input.size(0) * results, std::max<int64_t>(1, 4096 / channels),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const Corners<C> corners(find_points(positions[3 * i + 2], depth, sampling),
                                            find_points(positions[3 * i + 1], height, sampling),
                                            find_points(positions[3 * i], width, sampling), height,
                                            width);
                   const int64_t first = i / results * channels;
                   for (int64_t channel = first; channel < first + channels; ++channel) {
                     const C* from = volumes + channel * volume;
                     C sum{};
                     for (size_t k = 0; k < corners.count; ++k)
                       sum += from[corners.place[k]] * corners.weight[k];
                     out[channel * results + i % results] = sum;
                   }
                 }
               });
}

}  // namespace

Tensor grid_sampler_3d_cpu(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, bool align_corners) {
  const Sampling sampling =
      describe_sampling(kGridSampler3d, interpolation_mode, padding_mode, align_corners, 3);
  const Sizes sizes = plain_sizes(sampled_sizes(kGridSampler3d, input, grid, 3));
  const DType wide = input.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor output = make_empty(sizes, wide);
  if (output.numel() != 0) {
    const Tensor volume = as_contiguous(as_dtype(input, wide));
    const Tensor positions = as_contiguous(as_dtype(grid, wide));
    if (wide == DType::Float64)
      sample_volume<double>(sampling, volume, positions, output);
    else
      sample_volume<float>(sampling, volume, positions, output);
  }
  return as_dtype(output, input.dtype());
}

FakeTensor grid_sampler_3d_fake(const FakeTensor& input, const FakeTensor& grid,
                                int64_t interpolation_mode, int64_t padding_mode,
                                bool align_corners) {
  (void)describe_sampling(kGridSampler3d, interpolation_mode, padding_mode, align_corners, 3);
  return make_fake_like(input, sampled_sizes(kGridSampler3d, as_tensor(input), as_tensor(grid), 3),
                        input.dtype());
}

}  // namespace opwright
