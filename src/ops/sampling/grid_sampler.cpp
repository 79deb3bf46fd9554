// grid_sampler_2d: samples an image at the positions of a grid.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/sampling/grid_lines.h"
#include "opwright/ops/sampling/grid_points.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

constexpr const char* kGridSampler = "grid_sampler_2d";

// The elements that some positions of one image take part of, as vectors over the positions.
template <class C>
struct Places {
  static constexpr size_t kMost = 16;
  // Of element k of position i at [k][i]: its place in the image, -1 if there is none.
  int32_t place[kMost][kPositions];
  C weight[kMost][kPositions];
};

template <class C>
struct Plane {
  const C* from;  // the first channel
  C* to;
  int64_t channels, height, width;
  int64_t results;  // of a channel
};

// Samples every channel of an image at up to kPositions positions.
template <class C, SamplingMode kMode>
struct SamplePositions {
  OPWRIGHT_INLINE static void run(const C* grid, int64_t count, const Sampling* sampling,
                                  const Plane<C>* plane) {
    constexpr size_t kEach = elements_of(kMode);
    Line<C> x;
    Line<C> y;
    find_line<C, kMode>(grid, 2, count, plane->width, *sampling, &x);
    find_line<C, kMode>(grid + 1, 2, count, plane->height, *sampling, &y);
    Places<C> places;
    const auto width = static_cast<int32_t>(plane->width);
    for (size_t j = 0; j < kEach; ++j) {
      for (size_t k = 0; k < kEach; ++k) {
        int32_t* place = places.place[j * kEach + k];
        C* weight = places.weight[j * kEach + k];
        for (int64_t i = 0; i < count; ++i) {
          const bool exists = (y.index[j][i] >= 0) & (x.index[k][i] >= 0);
          const int32_t inside = y.index[j][i] * width + x.index[k][i];
          place[i] = exists ? inside : -1;
          weight[i] = y.weight[j][i] * x.weight[k][i];
        }
      }
    }
    for (int64_t channel = 0; channel < plane->channels; ++channel) {
      const C* image = plane->from + channel * plane->height * plane->width;
      C sums[kPositions] = {};
      for (size_t element = 0; element < kEach * kEach; ++element) {
        const int32_t* place = places.place[element];
        const C* weight = places.weight[element];
        for (int64_t i = 0; i < count; ++i) {
          // An element that does not exist is 0; a position of NaN gives NaN, as in PyTorch.
          const bool exists = place[i] >= 0;
          const C value = image[exists ? place[i] : 0];
          sums[i] += (exists ? value : C{0}) * weight[i];
        }
      }
      std::copy_n(sums, count, plane->to + channel * plane->results);
    }
  }
};

template <class C, SamplingMode kMode>
void sample_images(const Sampling& sampling, const Tensor& input, const Tensor& grid,
                   const Tensor& output) {
  const int64_t channels = input.size(1);
  const int64_t image = channels * input.size(2) * input.size(3);
  const int64_t results = output.size(2) * output.size(3);
  const int64_t parts = (results + kPositions - 1) / kPositions;
  const C* images = input.data<C>();
  const C* positions = grid.data<C>();
  C* out = output.mutable_data<C>();
  // Each grid position is used for every channel.
  parallel_for(
      input.size(0) * parts, std::max<int64_t>(1, 64 / channels), [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part) {
          const int64_t batch = part / parts;
          const int64_t first = part % parts * kPositions;
          const Plane<C> plane{images + batch * image,
                               out + batch * channels * results + first,
                               channels,
                               input.size(2),
                               input.size(3),
                               results};
          run_at_level<SamplePositions<C, kMode>>(positions + 2 * (batch * results + first),
                                                  std::min(kPositions, results - first), &sampling,
                                                  &plane);
        }
      });
}

template <class C>
void sample(const Sampling& sampling, const Tensor& input, const Tensor& grid,
            const Tensor& output) {
  OPWRIGHT_CHECK(input.size(2) * input.size(3) <= INT32_MAX, kGridSampler,
                 ": an image of input must have at most 2147483647 elements, got ", input);
  if (sampling.mode == SamplingMode::Bicubic)
    sample_images<C, SamplingMode::Bicubic>(sampling, input, grid, output);
  else if (sampling.mode == SamplingMode::Bilinear)
    sample_images<C, SamplingMode::Bilinear>(sampling, input, grid, output);
  else
    sample_images<C, SamplingMode::Nearest>(sampling, input, grid, output);
}

}  // namespace

Tensor grid_sampler_2d_cpu(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                           int64_t padding_mode, bool align_corners) {
  const Sampling sampling =
      describe_sampling(kGridSampler, interpolation_mode, padding_mode, align_corners, 2);
  const Sizes sizes = plain_sizes(sampled_sizes(kGridSampler, input, grid, 2));
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
  (void)describe_sampling(kGridSampler, interpolation_mode, padding_mode, align_corners, 2);
  return make_fake_like(input, sampled_sizes(kGridSampler, as_tensor(input), as_tensor(grid), 2),
                        input.dtype());
}

}  // namespace opwright
