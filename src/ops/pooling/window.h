// Pooling windows: argument parsing, the sizes of the result, and the elements of each window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/ops/sampling/linear_map.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/memory_format.h"

namespace opwright {

// Along one dimension.
struct Window {
  int64_t kernel;
  int64_t stride;
  int64_t padding;
  int64_t dilation;

  [[nodiscard]] int64_t extent() const { return dilation * (kernel - 1) + 1; }
};
using Windows = SmallVector<Window, kPlaneDims>;

// The arguments of an operator; each list has one number for all dimensions or one per dimension.
struct WindowArgs {
  const char* who;
  size_t ndim;
  std::span<const int64_t> kernel_size;
  std::span<const int64_t> stride;  // empty: kernel_size
  std::span<const int64_t> padding;
  std::span<const int64_t> dilation;
};

// RuntimeError for lists of other lengths and for invalid numbers.
[[nodiscard]] Windows find_windows(const WindowArgs& args);
// RuntimeError for padding of more than half a kernel, which would make windows without elements.
void check_padding_is_small(const char* who, const Windows& windows);

// The number of windows that fit; with ceil_mode also one that begins inside but ends outside.
[[nodiscard]] SymInt count_windows(const SymInt& size, const Window& window, bool ceil_mode);

// The sizes after pooling `input`. RuntimeError, ValueError.
[[nodiscard]] SymSizes pooled_sizes(const char* who, const Tensor& input, const Windows& windows,
                                    bool ceil_mode);

// The elements of each of `out` windows, and their count with or without the padding.
[[nodiscard]] Taps window_taps(const Window& window, int64_t in, int64_t out, bool counts_padding);

// Adaptive pooling: `out` windows that cover the dimension as evenly as possible.
[[nodiscard]] Taps adaptive_taps(int64_t in, int64_t out);
// The sizes of its result. RuntimeError, ValueError.
[[nodiscard]] SymSizes adaptive_sizes(const char* who, const Tensor& input,
                                      std::span<const SymInt> output_size, size_t ndim);

// The format of its result: that of self, but volumes are contiguous as in PyTorch.
[[nodiscard]] inline MemoryFormat adaptive_format(const Tensor& self, size_t ndim) {
  return ndim == 3 ? MemoryFormat::Contiguous : suggest_memory_format(self);
}

// The windows of all dimensions of a pooling call without symbols.
[[nodiscard]] LinearMap window_map(const Windows& windows, std::span<const int64_t> in,
                                   std::span<const int64_t> out, bool counts_padding);
[[nodiscard]] LinearMap adaptive_map(size_t ndim, std::span<const int64_t> in,
                                     std::span<const int64_t> out);

}  // namespace opwright
