// grid_sampler_2d_backward and grid_sampler_3d_backward: the gradients of the image or volume, and
// of the grid.
//
// Images are packed with their channels last, so that a vector holds several channels of one
// element: the reads and writes at scattered places are then loads and stores of vectors.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>

#include "opwright/base/thread_pool.h"
#include "opwright/error.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/engine/shape/output_mask.h"
#include "opwright/ops/sampling/grid_lines.h"
#include "opwright/ops/sampling/grid_points.h"
#include "opwright/ops/sampling/planes.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using GridGradients = std::tuple<Tensor, Tensor>;

constexpr std::array<const char*, 2> kBackwardNames = {"grid_sampler_2d_backward",
                                                       "grid_sampler_3d_backward"};
constexpr size_t kMostNdim = 3;
constexpr size_t kMostCorners = 16;

// The elements of an image that the positions of a block take part of.
template <class C>
struct BlockCorners {
  size_t count = 0;  // per position
  // Of element k of position i at [k][i].
  int64_t place[kMostCorners][kPositions];  // -1 if there is no such element
  C weight[kMostCorners][kPositions];
  C slope[kMostNdim][kMostCorners][kPositions];  // by number of the grid; 0 without an element
};

constexpr size_t corners_of(SamplingMode mode, size_t ndim) {
  return ndim == 1 ? elements_of(mode) : elements_of(mode) * corners_of(mode, ndim - 1);
}

// Finds the corners of the `count` positions at `grid`; `sizes` are those of the plane. The number
// of dimensions is no template argument: the loops over it would be unrolled, to much more code.
template <class C, SamplingMode kMode>
struct FindCorners {
  OPWRIGHT_INLINE static void run(const C* grid, int64_t count, size_t ndim, const int64_t* sizes,
                                  const Sampling* sampling, BlockCorners<C>* corners) {
    constexpr size_t kEach = elements_of(kMode);
    // The outermost dimension first, which is the last number in the grid.
    std::array<Line<C>, kMostNdim> lines;
    C slopes[kMostNdim][4][kPositions];
    for (size_t dim = 0; dim < ndim; ++dim) {
      const C* numbers = grid + (ndim - 1 - dim);
      const auto step = static_cast<int64_t>(ndim);
      find_line<C, kMode>(numbers, step, count, sizes[dim], *sampling, &lines[dim]);
      find_slopes<C, kMode>(numbers, step, count, sizes[dim], *sampling, slopes[dim]);
    }
    for (size_t corner = 0; corner < corners->count; ++corner) {
      std::array<size_t, kMostNdim> element{};
      size_t rest = corner;
      for (size_t dim = ndim; dim-- > 0; rest /= kEach) element[dim] = rest % kEach;
      int64_t* place = corners->place[corner];
      start(place, int64_t{0}, count);
      start(corners->weight[corner], C{1}, count);
      for (size_t dim = 0; dim < ndim; ++dim) {
        multiply(corners->weight[corner], lines[dim].weight[element[dim]], count);
        const int32_t* index = lines[dim].index[element[dim]];
        const int64_t size = sizes[dim];
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < count; ++i) {
          const bool is_outside = (place[i] < 0) | (index[i] < 0);
          place[i] = is_outside ? -1 : place[i] * size + index[i];
        }
      }
      for (size_t axis = 0; axis < ndim; ++axis) {
        C* slope = corners->slope[ndim - 1 - axis][corner];
        start(slope, C{1}, count);
        for (size_t dim = 0; dim < ndim; ++dim) {
          const size_t each = element[dim];
          multiply(slope, dim == axis ? slopes[dim][each] : lines[dim].weight[each], count);
        }
        OPWRIGHT_INDEPENDENT_ITERATIONS
        for (int64_t i = 0; i < count; ++i) slope[i] = place[i] >= 0 ? slope[i] : C{0};
      }
    }
  }

 private:
  template <class T>
  OPWRIGHT_INLINE static void start(T* numbers, T value, int64_t count) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) numbers[i] = value;
  }
  OPWRIGHT_INLINE static void multiply(C* numbers, const C* factors, int64_t count) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) numbers[i] *= factors[i];
  }
};

// Runs vector code for float only: images of float64 are too rare for so much code.
template <class C, class Loop, class... Args>
void run_for(Args... args) {
  if constexpr (std::is_same_v<C, float>)
    run_at_level<Loop>(args...);
  else
    run_at_baseline<Loop>(args...);
}

template <class C, SamplingMode kMode>
void find_corners(const C* grid, int64_t count, size_t ndim, const int64_t* sizes,
                  const Sampling* sampling, BlockCorners<C>* corners) {
  corners->count = corners_of(kMode, ndim);
  run_for<C, FindCorners<C, kMode>>(grid, count, ndim, sizes, sampling, corners);
}
template <class C>
using CornerFinder = void (*)(const C* grid, int64_t count, size_t ndim, const int64_t* sizes,
                              const Sampling* sampling, BlockCorners<C>* corners);
// By SamplingMode.
template <class C>
constexpr std::array<CornerFinder<C>, 3> kFindCorners = {&find_corners<C, SamplingMode::Bilinear>,
                                                         &find_corners<C, SamplingMode::Nearest>,
                                                         &find_corners<C, SamplingMode::Bicubic>};

template <class C, int64_t kLanes>
struct LanesOf {
  using Vector [[gnu::vector_size(kLanes * sizeof(C)), gnu::aligned(alignof(C)), gnu::may_alias]] =
      C;
};

// Adds the gradients of the results of a block, one vector of channels each, to an image; all have
// `channels` numbers per place.
template <class C, int64_t kLanes>
struct AddToImage {
  OPWRIGHT_INLINE static void run(C* image, const C* gradient, int64_t channels, int64_t count,
                                  const BlockCorners<C>* corners) {
    using Vector = typename LanesOf<C, kLanes>::Vector;
    for (int64_t i = 0; i < count; ++i) {
      const Vector each = *reinterpret_cast<const Vector*>(gradient + i * channels);
      for (size_t corner = 0; corner < corners->count; ++corner) {
        const int64_t place = corners->place[corner][i];
        if (place < 0) continue;
        *reinterpret_cast<Vector*>(image + place * channels) += each * corners->weight[corner][i];
      }
    }
  }
};

template <class C>
OPWRIGHT_INLINE C add_lanes(std::span<C> lanes) {
  for (size_t half = lanes.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

// Writes the gradient of the grid at a block of positions.
template <class C, int64_t kLanes, size_t kNdim>
struct SetGrid {
  OPWRIGHT_INLINE static void run(C* grid, const C* image, const C* gradient, int64_t channels,
                                  int64_t count, const BlockCorners<C>* corners) {
    using Vector = typename LanesOf<C, kLanes>::Vector;
    for (int64_t i = 0; i < count; ++i) {
      Vector sums[kNdim] = {};  // NOLINT(modernize-avoid-c-arrays): stays in registers
      for (int64_t first = 0; first < channels; first += kLanes) {
        Vector mixed[kNdim] = {};  // NOLINT(modernize-avoid-c-arrays)
        for (size_t corner = 0; corner < corners->count; ++corner) {
          const int64_t place = corners->place[corner][i];
          if (place < 0) continue;
          const Vector element = *reinterpret_cast<const Vector*>(image + place * channels + first);
          for (size_t axis = 0; axis < kNdim; ++axis)
            mixed[axis] += element * corners->slope[axis][corner][i];
        }
        const Vector each = *reinterpret_cast<const Vector*>(gradient + i * channels + first);
        for (size_t axis = 0; axis < kNdim; ++axis) sums[axis] += each * mixed[axis];
      }
      for (size_t axis = 0; axis < kNdim; ++axis) {
        std::array<C, kLanes> lanes;
        *reinterpret_cast<Vector*>(lanes.data()) = sums[axis];
        grid[i * static_cast<int64_t>(kNdim) + static_cast<int64_t>(axis)] =
            add_lanes(std::span<C>(lanes));
      }
    }
  }
};

Tensor make_zeros(std::span<const int64_t> sizes, DType dtype) {
  const Tensor zeros = make_empty(sizes, dtype);
  std::memset(zeros.mutable_data(), 0, static_cast<size_t>(zeros.numel()) * item_size(dtype));
  return zeros;
}

// Strides of [batch, channels, ..] whose memory is [batch, .., `lanes` numbers].
Sizes packed_strides(std::span<const int64_t> sizes, int64_t lanes) {
  Sizes strides(sizes.size(), 1);
  int64_t step = lanes;
  for (size_t dim = sizes.size(); dim-- > 2; step *= sizes[dim]) strides[dim] = step;
  strides[0] = step;
  return strides;
}

// [batch, places, channels], with zeros up to a multiple of the lanes.
Tensor pack(const Tensor& planes, DType dtype, int64_t channels) {
  const auto sizes = planes.sizes();
  const Sizes strides = packed_strides(sizes, channels);
  bool is_packed = planes.dtype() == dtype && channels == sizes[1];
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    is_packed &= sizes[dim] == 1 || planes.strides()[dim] == strides[dim];
  if (is_packed) return planes;
  const Sizes whole{sizes[0], product(sizes.subspan(2)), channels};
  const Tensor packed = channels == sizes[1] ? make_empty(whole, dtype) : make_zeros(whole, dtype);
  copy_elements(make_view(packed, sizes, strides, 0), planes);
  return packed;
}

// One call on tensors of one floating dtype.
template <class C>
class GridBackward {
 public:
  GridBackward(const Sampling& sampling, const Tensor& grad, const Tensor& input,
               const Tensor& grid)
      : sampling_(sampling), input_(input), batch_(input.size(0)), grid_(grid) {
    const int64_t channels = input.size(1);
    lanes_ = channels == 1 ? 1 : (channels <= 8 ? 4 : kWideLanes);
    channels_ = (channels + lanes_ - 1) / lanes_ * lanes_;
    results_ = product(grad.sizes().subspan(2));
    ndim_ = input.sizes().size() - 2;
    std::ranges::copy(input.sizes().subspan(2), sizes_.begin());
    places_ = product(input.sizes().subspan(2));
    gradient_ = pack(grad, grid.dtype(), channels_);
  }

  // Threads take images and groups of channels, so that sums are added in the same order.
  [[nodiscard]] Tensor input_gradient() const {
    const Tensor sums = make_zeros(Sizes{batch_, places_, channels_}, grid_.dtype());
    const int64_t groups = channels_ / lanes_;
    for_lanes([&]<int64_t kLanes>() {
      parallel_for(batch_ * groups, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t image = task / groups;
          const int64_t first = task % groups * kLanes;
          C* out = sums.mutable_data<C>() + image * places_ * channels_ + first;
          for_each_block(image * results_, (image + 1) * results_,
                         [&](int64_t at, int64_t count, const BlockCorners<C>& corners) {
                           run_for<C, AddToImage<C, kLanes>>(
                               out, gradient_.data<C>() + at * channels_ + first, channels_, count,
                               &corners);
                         });
        }
      });
    });
    const Tensor result = make_empty(input_.sizes(), grid_.dtype());
    copy_elements(result,
                  make_view(sums, input_.sizes(), packed_strides(input_.sizes(), channels_), 0));
    return result;
  }

  [[nodiscard]] Tensor grid_gradient() const {
    if (sampling_.mode == SamplingMode::Nearest) return make_zeros(grid_.sizes(), grid_.dtype());
    const Tensor image = pack(input_, grid_.dtype(), channels_);
    const Tensor result = make_empty(grid_.sizes(), grid_.dtype());
    const int64_t blocks = (results_ + kPositions - 1) / kPositions;
    for_lanes([&]<int64_t kLanes>() {
      parallel_for(batch_ * blocks, 8, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) {
          const int64_t number = block / blocks;
          const int64_t first = number * results_ + block % blocks * kPositions;
          const C* from = image.data<C>() + number * places_ * channels_;
          for_each_block(
              first, std::min(first + kPositions, (number + 1) * results_),
              [&](int64_t at, int64_t count, const BlockCorners<C>& corners) {
                C* out = result.mutable_data<C>() + at * numbers_of_position();
                const C* of = gradient_.data<C>() + at * channels_;
                if (ndim_ == 2)
                  run_for<C, SetGrid<C, kLanes, 2>>(out, from, of, channels_, count, &corners);
                else
                  run_for<C, SetGrid<C, kLanes, 3>>(out, from, of, channels_, count, &corners);
              });
        }
      });
    });
    return result;
  }

 private:
  static constexpr int64_t kWideLanes = std::is_same_v<C, float> ? 16 : 4;

  [[nodiscard]] int64_t numbers_of_position() const { return static_cast<int64_t>(ndim_); }

  // Calls body.operator()<kLanes>().
  template <class Body>
  void for_lanes(const Body& body) const {
    if (lanes_ == 1) return body.template operator()<1>();
    if (lanes_ == 4) return body.template operator()<4>();
    body.template operator()<kWideLanes>();
  }

  // Calls body(first, count, corners) for blocks of the results from `begin` to `end`.
  template <class Body>
  void for_each_block(int64_t begin, int64_t end, const Body& body) const {
    BlockCorners<C> corners;
    const auto find = kFindCorners<C>[static_cast<size_t>(sampling_.mode)];
    for (int64_t at = begin; at < end; at += kPositions) {
      const int64_t count = std::min(kPositions, end - at);
      find(grid_.data<C>() + at * numbers_of_position(), count, ndim_, sizes_.data(), &sampling_,
           &corners);
      body(at, count, corners);
    }
  }

  Sampling sampling_;
  Tensor input_;
  int64_t batch_;
  Tensor grid_;      // contiguous
  Tensor gradient_;  // packed
  size_t ndim_;      // of an image or a volume
  std::array<int64_t, kMostNdim> sizes_{};
  int64_t lanes_;     // of a vector
  int64_t channels_;  // a multiple of the lanes
  int64_t results_;   // of a channel
  int64_t places_;
};

template <class C>
GridGradients differentiate(const Sampling& sampling, const Tensor& grad, const Tensor& input,
                            const Tensor& grid, bool needs_input) {
  const GridBackward<C> backward(sampling, grad, input, grid);
  return {needs_input ? backward.input_gradient() : Tensor(), backward.grid_gradient()};
}

void check_grid_backward(size_t ndim, const Tensor& grad, const Tensor& input, const Tensor& grid,
                         std::span<const bool> mask) {
  const char* who = kBackwardNames[ndim - 2];
  check_output_mask(who, mask, 2);
  check_gradient(who, grad, input.dtype(), sampled_sizes(who, input, grid, ndim));
}

GridGradients run_grid_backward(size_t ndim, const Tensor& grad, const Tensor& input,
                                const Tensor& grid, int64_t mode, int64_t padding_mode,
                                bool align_corners, std::span<const bool> mask) {
  const Sampling sampling =
      describe_sampling(kBackwardNames[ndim - 2], mode, padding_mode, align_corners, ndim);
  check_grid_backward(ndim, grad, input, grid, mask);
  for (const int64_t size : input.sizes())
    OPWRIGHT_CHECK(size <= INT32_MAX, kBackwardNames[ndim - 2],
                   ": input must have at most 2147483647 elements per dimension, got ", input);
  const DType wide = input.dtype() == DType::Float64 ? DType::Float64 : DType::Float32;
  const Tensor positions = as_contiguous(as_dtype(grid, wide));
  auto [of_input, of_grid] = wide == DType::Float64
                                 ? differentiate<double>(sampling, grad, input, positions, mask[0])
                                 : differentiate<float>(sampling, grad, input, positions, mask[0]);
  if (mask[0]) of_input = as_dtype(of_input, input.dtype());
  return {of_input, as_dtype(of_grid, grid.dtype())};
}

std::tuple<FakeTensor, FakeTensor> fake_grid_backward(size_t ndim, const FakeTensor& grad,
                                                      const FakeTensor& input,
                                                      const FakeTensor& grid, int64_t mode,
                                                      int64_t padding_mode, bool align_corners,
                                                      std::span<const bool> mask) {
  (void)describe_sampling(kBackwardNames[ndim - 2], mode, padding_mode, align_corners, ndim);
  check_grid_backward(ndim, as_tensor(grad), as_tensor(input), as_tensor(grid), mask);
  return {mask[0] ? make_fake_like(input, input.sizes(), input.dtype()) : FakeTensor(),
          make_fake_like(grid, grid.sizes(), grid.dtype())};
}

}  // namespace

GridGradients grid_sampler_2d_backward_cpu(const Tensor& grad_output, const Tensor& input,
                                           const Tensor& grid, int64_t interpolation_mode,
                                           int64_t padding_mode, bool align_corners,
                                           std::span<const bool> output_mask) {
  return run_grid_backward(2, grad_output, input, grid, interpolation_mode, padding_mode,
                           align_corners, output_mask);
}
std::tuple<FakeTensor, FakeTensor> grid_sampler_2d_backward_fake(
    const FakeTensor& grad_output, const FakeTensor& input, const FakeTensor& grid,
    int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
    std::span<const bool> output_mask) {
  return fake_grid_backward(2, grad_output, input, grid, interpolation_mode, padding_mode,
                            align_corners, output_mask);
}

GridGradients grid_sampler_3d_backward_cpu(const Tensor& grad_output, const Tensor& input,
                                           const Tensor& grid, int64_t interpolation_mode,
                                           int64_t padding_mode, bool align_corners,
                                           std::span<const bool> output_mask) {
  return run_grid_backward(3, grad_output, input, grid, interpolation_mode, padding_mode,
                           align_corners, output_mask);
}
std::tuple<FakeTensor, FakeTensor> grid_sampler_3d_backward_fake(
    const FakeTensor& grad_output, const FakeTensor& input, const FakeTensor& grid,
    int64_t interpolation_mode, int64_t padding_mode, bool align_corners,
    std::span<const bool> output_mask) {
  return fake_grid_backward(3, grad_output, input, grid, interpolation_mode, padding_mode,
                            align_corners, output_mask);
}

}  // namespace opwright
