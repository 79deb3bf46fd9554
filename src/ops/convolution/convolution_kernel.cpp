#include "opwright/ops/convolution/convolution_kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "opwright/base/thread_pool.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/cpu/run_at_level.h"
#include "opwright/ops/engine/product/packed_product.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/scratch_memory.h"

namespace opwright {
namespace {

constexpr int64_t kCutPositions = 256;  // the least per thread when a product is split
constexpr int64_t kCopyGrain = 65536;   // elements

int64_t threads_here() { return is_in_parallel_body() ? 1 : num_threads(); }

// The images of a batch, laid out.
template <class T>
class Images {
 public:
  Images(const ConvolutionPlan& plan, const ImageLayout& layout, const T* input) : data_(input) {
    size_ = layout.is_plain() ? plan.input_positions() : layout.channel_size();
    if (layout.is_plain()) return;
    const int64_t channels = plan.batch * plan.groups * plan.in_channels;
    memory_.emplace(static_cast<size_t>(channels * size_) * sizeof(T));
    T* const laid_out = memory_->data<T>();
    parallel_for(channels, std::max<int64_t>(1, kCopyGrain / std::max<int64_t>(1, size_)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i)
                     layout.lay_out(input + i * plan.input_positions(), laid_out + i * size_);
                 });
    data_ = laid_out;
  }
  [[nodiscard]] const T* channel(int64_t index) const { return data_ + index * size_; }

 private:
  const T* data_;
  int64_t size_;
  std::optional<ScratchMemory> memory_;
};

// Consecutive results that read consecutive elements.
struct PixelRun {
  int64_t to, from, count;
};

// The runs of results [first, first + count) of one channel.
class PixelRuns {
 public:
  PixelRuns(const ConvolutionPlan& plan, const ImageLayout& layout, int64_t first, int64_t count) {
    const int64_t width = plan.output[2];
    for (int64_t at = first; at < first + count;) {
      const int64_t line = at / width;
      const int64_t column = at % width;
      const int64_t length = std::min(width - column, first + count - at);
      const int64_t from =
          layout.offset_of_line(line / plan.output[1], line % plan.output[1]) + column;
      // Merges lines that are consecutive in memory.
      if (size_ > 0 && runs_[size_ - 1].from + runs_[size_ - 1].count == from)
        runs_[size_ - 1].count += length;
      else
        runs_[size_++] = {at - first, from, length};
      at += length;
    }
  }
  [[nodiscard]] const PixelRun* begin() const { return runs_.data(); }
  [[nodiscard]] const PixelRun* end() const { return runs_.data() + size_; }

 private:
  std::array<PixelRun, 32> runs_;  // a panel has at most so many columns
  size_t size_ = 0;
};

// The weights as [groups, out_channels, in_channels, taps].
template <class T>
std::vector<T> swap_channels(const ConvolutionPlan& plan, const T* weight) {
  const int64_t taps = plan.taps();
  std::vector<T> swapped(static_cast<size_t>(plan.groups * plan.out_channels * plan.depth()));
  T* to = swapped.data();
  for (int64_t group = 0; group < plan.groups; ++group) {
    for (int64_t out = 0; out < plan.out_channels; ++out) {
      for (int64_t in = 0; in < plan.in_channels; ++in) {
        const int64_t from = ((group * plan.in_channels + in) * plan.out_channels + out) * taps;
        to = std::copy_n(weight + from, taps, to);
      }
    }
  }
  return swapped;
}

// Shared by the products of one convolution.
template <class T>
struct Convolution {
  const ConvolutionPlan& plan;
  const ImageLayout& layout;
  const Images<T>& images;
  const std::vector<int64_t>& offsets;  // of the weights of one group
};

template <class T>
struct AddRun {
  OPWRIGHT_INLINE static void run(T* to, T factor, const T* from, int64_t count) {
    OPWRIGHT_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < count; ++i) to[i] = wrap_add(to[i], wrap_mul(factor, from[i]));
  }
};

// One channel of the result, weight by weight.
template <class T>
void convolve_channel(const Convolution<T>& c, const T* image, const T* weights, T* output) {
  const auto& size = c.plan.output;
  for (int64_t k = 0; k < c.plan.depth(); ++k) {
    const T* from = image + c.offsets[static_cast<size_t>(k)];
    for (int64_t d = 0; d < size[0]; ++d) {
      for (int64_t h = 0; h < size[1]; ++h)
        run_at_level<AddRun<T>>(output + (d * size[1] + h) * size[2], weights[k],
                                from + c.layout.offset_of_line(d, h), size[2]);
    }
  }
}

// A panel of columns: one line per weight.
template <class T>
struct CopyRunsLoop {
  OPWRIGHT_INLINE static void run(T* to, int64_t width, const T* image, const int64_t* offsets,
                                  int64_t depth, const PixelRuns* runs) {
    for (const PixelRun& each : *runs) {
      for (int64_t i = 0; i < depth; ++i)
        copy_line(to + i * width + each.to, image + each.from + offsets[i], each.count);
    }
  }
};

// Columns [first, first + count) of the result of one group of one image, as a product.
template <class T>
void convolve_columns(const Convolution<T>& c, const T* image, const T* weights, T* output,
                      int64_t first, int64_t count, bool adds) {
  const int64_t tile_rows = tile_kernels<T>().tile_rows();
  const int64_t tile_columns = tile_kernels<T>().tile_columns();
  const int64_t depth = c.plan.depth();
  multiply_packed<T>(
      {.data = output + first,
       .row = c.plan.positions(),
       .rows = c.plan.out_channels,
       .columns = count,
       .adds = adds},
      depth,
      [&](T* to, int64_t row, int64_t rows, int64_t k, int64_t deep) {
        fill_panel(to, tile_rows, weights + row * depth + k, depth, 1, rows, deep);
      },
      [&](T* to, int64_t column, int64_t columns, int64_t k, int64_t deep) {
        const PixelRuns runs(c.plan, c.layout, first + column, columns);
        const int64_t* offsets = c.offsets.data() + k;
        if (columns < tile_columns) std::fill_n(to, tile_columns * deep, T{});
        run_at_level<CopyRunsLoop<T>>(to, tile_columns, image, offsets, deep, &runs);
      });
}

template <class T>
void convolve_all(const Convolution<T>& c, const T* weight, const T* bias, T* output) {
  const ConvolutionPlan& plan = c.plan;
  const int64_t positions = plan.positions();
  const int64_t images = plan.batch * plan.groups;
  const auto image_of = [&](int64_t i) { return c.images.channel(i * plan.in_channels); };
  const auto fill = [&](int64_t i, int64_t out, int64_t first, int64_t count) {
    const int64_t channel = i % plan.groups * plan.out_channels + out;
    T* line = output + (i * plan.out_channels + out) * positions + first;
    std::fill_n(line, count, bias ? bias[channel] : T{});
    return line;
  };
  if constexpr (kHasTiles<T>) {
    if (plan.out_channels > 1 && plan.depth() > 0) {
      const int64_t wanted =
          std::max<int64_t>(1, 2 * threads_here() / std::max<int64_t>(1, images));
      const int64_t pieces =
          threads_here() == 1 ? 1 : std::min(wanted, positions / kCutPositions + 1);
      const int64_t step = ((positions + pieces - 1) / pieces + 31) / 32 * 32;
      return parallel_for(images * pieces, 1, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          const int64_t i = piece / pieces;
          const int64_t first = piece % pieces * step;
          const int64_t count = std::min(step, positions - first);
          if (count <= 0) continue;
          for (int64_t out = 0; bias && out < plan.out_channels; ++out) fill(i, out, first, count);
          convolve_columns(
              c, image_of(i), weight + i % plan.groups * plan.out_channels * plan.depth(),
              output + i * plan.out_channels * positions, first, count, bias != nullptr);
        }
      });
    }
  }
  const int64_t work = std::max<int64_t>(1, plan.depth() * positions);
  parallel_for(images * plan.out_channels, std::max<int64_t>(1, kCopyGrain / work),
               [&](int64_t begin, int64_t end) {
                 for (int64_t j = begin; j < end; ++j) {
                   const int64_t i = j / plan.out_channels;
                   const int64_t out = j % plan.out_channels;
                   T* line = fill(i, out, 0, positions);
                   const int64_t row = i % plan.groups * plan.out_channels + out;
                   convolve_channel(c, image_of(i), weight + row * plan.depth(), line);
                 }
               });
}

// Columns of the gradient of one group's weights, [out_channels, depth], over all images.
template <class T>
void add_gradient_columns(const Convolution<T>& c, const std::vector<int64_t>& places,
                          int64_t group, const T* grad_output, T* grad_weight, int64_t first,
                          int64_t count) {
  const ConvolutionPlan& plan = c.plan;
  const int64_t positions = plan.positions();
  const int64_t tile_rows = tile_kernels<T>().tile_rows();
  const int64_t tile_columns = tile_kernels<T>().tile_columns();
  for (int64_t image = 0; image < plan.batch; ++image) {
    const int64_t index = image * plan.groups + group;
    const T* channels = c.images.channel(index * plan.in_channels);
    const T* grads = grad_output + index * plan.out_channels * positions;
    multiply_packed<T>(
        {.data = grad_weight + first,
         .row = plan.depth(),
         .rows = plan.out_channels,
         .columns = count,
         .adds = image > 0},
        positions,
        [&](T* to, int64_t row, int64_t rows, int64_t k, int64_t deep) {
          fill_panel(to, tile_rows, grads + row * positions + k, positions, 1, rows, deep);
        },
        [&](T* to, int64_t column, int64_t columns, int64_t k, int64_t deep) {
          if (columns < tile_columns) std::fill_n(to, tile_columns * deep, T{});
          const int64_t* place = places.data() + k;
          for (int64_t j = 0; j < columns; ++j) {
            const T* from = channels + c.offsets[static_cast<size_t>(first + column + j)];
            for (int64_t i = 0; i < deep; ++i) to[i * tile_columns + j] = from[place[i]];
          }
        });
  }
}

// The gradient of one weight.
template <class T>
T sum_weight_gradient(const Convolution<T>& c, const std::vector<int64_t>& places, int64_t group,
                      int64_t out, int64_t k, const T* grad_output) {
  const ConvolutionPlan& plan = c.plan;
  T sum{};
  for (int64_t image = 0; image < plan.batch; ++image) {
    const int64_t index = image * plan.groups + group;
    const T* from = c.images.channel(index * plan.in_channels) + c.offsets[static_cast<size_t>(k)];
    const T* grads = grad_output + (index * plan.out_channels + out) * plan.positions();
    for (size_t i = 0; i < places.size(); ++i)
      sum = wrap_add(sum, wrap_mul(grads[i], from[places[i]]));
  }
  return sum;
}

template <class T>
void sum_gradients(const Convolution<T>& c, const T* grad_output, T* grad_weight) {
  const ConvolutionPlan& plan = c.plan;
  std::vector<int64_t> places;
  for (int64_t d = 0; d < plan.output[0]; ++d) {
    for (int64_t h = 0; h < plan.output[1]; ++h) {
      for (int64_t w = 0; w < plan.output[2]; ++w)
        places.push_back(c.layout.offset_of_line(d, h) + w);
    }
  }
  const int64_t depth = plan.depth();
  if constexpr (kHasTiles<T>) {
    if (plan.batch > 0 && plan.positions() > 0 && plan.out_channels > 1) {
      const int64_t step = threads_here() == 1 ? std::max<int64_t>(1, depth) : 128;
      const int64_t pieces = (depth + step - 1) / step;
      return parallel_for(plan.groups * pieces, 1, [&](int64_t begin, int64_t end) {
        for (int64_t piece = begin; piece < end; ++piece) {
          const int64_t group = piece / pieces;
          const int64_t first = piece % pieces * step;
          add_gradient_columns(c, places, group, grad_output,
                               grad_weight + group * plan.out_channels * depth, first,
                               std::min(step, depth - first));
        }
      });
    }
  }
  parallel_for(plan.groups * plan.out_channels * depth, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      grad_weight[i] = sum_weight_gradient(c, places, i / depth / plan.out_channels,
                                           i / depth % plan.out_channels, i % depth, grad_output);
  });
}

}  // namespace

template <class T>
void convolve(const ConvolutionPlan& plan, const T* input, const T* weight, const T* bias,
              T* output) {
  if (plan.batch == 0 || plan.out_channels == 0) return;
  const ImageLayout layout(plan);
  const Images<T> images(plan, layout, input);
  const std::vector<int64_t> offsets = layout.offsets_of_weights();
  std::vector<T> swapped;
  if (plan.transposed) swapped = swap_channels(plan, weight);
  convolve_all<T>({plan, layout, images, offsets}, plan.transposed ? swapped.data() : weight, bias,
                  output);
}

template <class T>
void find_weight_gradient(const ConvolutionPlan& plan, const T* input, const T* grad_output,
                          T* grad_weight) {
  const ImageLayout layout(plan);
  const Images<T> images(plan, layout, input);
  const std::vector<int64_t> offsets = layout.offsets_of_weights();
  const Convolution<T> c{plan, layout, images, offsets};
  sum_gradients(c, grad_output, grad_weight);
}

#define OPWRIGHT_CONVOLUTIONS_OF(T)                                                 \
  template void convolve(const ConvolutionPlan&, const T*, const T*, const T*, T*); \
  template void find_weight_gradient(const ConvolutionPlan&, const T*, const T*, T*)
OPWRIGHT_CONVOLUTIONS_OF(float);
OPWRIGHT_CONVOLUTIONS_OF(double);
OPWRIGHT_CONVOLUTIONS_OF(uint8_t);
OPWRIGHT_CONVOLUTIONS_OF(int8_t);
OPWRIGHT_CONVOLUTIONS_OF(uint16_t);
OPWRIGHT_CONVOLUTIONS_OF(int16_t);
OPWRIGHT_CONVOLUTIONS_OF(uint32_t);
OPWRIGHT_CONVOLUTIONS_OF(int32_t);
OPWRIGHT_CONVOLUTIONS_OF(uint64_t);
OPWRIGHT_CONVOLUTIONS_OF(int64_t);
OPWRIGHT_CONVOLUTIONS_OF(Complex<float>);
OPWRIGHT_CONVOLUTIONS_OF(Complex<double>);
#undef OPWRIGHT_CONVOLUTIONS_OF

}  // namespace opwright
