#include "opwright/ops/pooling/window.h"

#include <algorithm>
#include <utility>

#include "opwright/error.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

int64_t number_for(const WindowArgs& args, const char* name, std::span<const int64_t> numbers,
                   size_t dim) {
  OPWRIGHT_CHECK(numbers.size() == 1 || numbers.size() == args.ndim, args.who, ": ", name,
                 " must hold one number or ", args.ndim, ", got ", to_text(numbers));
  return numbers.size() == 1 ? numbers[0] : numbers[dim];
}

template <class MakeTaps>
LinearMap make_map(size_t ndim, std::span<const int64_t> in, std::span<const int64_t> out,
                   const MakeTaps& make_taps) {
  std::vector<Taps> last;
  for (size_t i = 0; i < ndim; ++i) {
    const size_t dim = in.size() - ndim + i;
    last.push_back(make_taps(i, in[dim], out[dim]));
  }
  return LinearMap(std::move(last));
}

}  // namespace

Windows find_windows(const WindowArgs& args) {
  const std::span<const int64_t> strides = args.stride.empty() ? args.kernel_size : args.stride;
  Windows windows;
  for (size_t i = 0; i < args.ndim; ++i) {
    const Window window{.kernel = number_for(args, "kernel_size", args.kernel_size, i),
                        .stride = number_for(args, "stride", strides, i),
                        .padding = number_for(args, "padding", args.padding, i),
                        .dilation = number_for(args, "dilation", args.dilation, i)};
    const auto check_range = [&](const char* name, int64_t number, int64_t least) {
      constexpr int64_t kLimit = INT32_MAX;  // so that no product of two overflows
      OPWRIGHT_CHECK(number >= least && number <= kLimit, args.who, ": ", name, " must be from ",
                     least, " to ", kLimit, ", got ", number);
    };
    check_range("kernel_size", window.kernel, 1);
    check_range("stride", window.stride, 1);
    check_range("padding", window.padding, 0);
    check_range("dilation", window.dilation, 1);
    windows.push_back(window);
  }
  return windows;
}

void check_padding_is_small(const char* who, const Windows& windows) {
  for (const Window& window : windows) {
    OPWRIGHT_CHECK(window.padding <= window.kernel / 2, who,
                   ": padding must be at most half of kernel_size, got padding ", window.padding,
                   " and kernel_size ", window.kernel);
  }
}

SymInt count_windows(const SymInt& size, const Window& window, bool ceil_mode) {
  const SymInt room = size + 2 * window.padding - window.extent();
  if (!ceil_mode) return room / window.stride + 1;
  // The last one begins in the input or in the padding before it.
  const SymInt begins = (size + window.padding + window.stride - 1) / window.stride;
  return sym_min((room + window.stride - 1) / window.stride + 1, begins);
}

SymSizes pooled_sizes(const char* who, const Tensor& input, const Windows& windows,
                      bool ceil_mode) {
  SymSizes sizes = sym_geometry_of(input).sizes;
  check_planes(who, "self", sizes, windows.size());
  check_padding_is_small(who, windows);
  const std::string before = to_text(sizes);
  for (size_t i = 0; i < windows.size(); ++i) {
    SymInt& size = sizes[sizes.size() - windows.size() + i];
    size = count_windows(size, windows[i], ceil_mode);
    check(size >= 1, concatenate(who, ": no window of ", windows[i].extent(),
                                 " elements fits in self of sizes ", before, " with padding ",
                                 windows[i].padding));
  }
  return sizes;
}

Taps window_taps(const Window& window, int64_t in, int64_t out, bool counts_padding) {
  Taps taps(in);
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * window.stride - window.padding;
    const int64_t end = std::min(begin + window.extent(), in);
    const int64_t missed = begin < 0 ? (-begin + window.dilation - 1) / window.dilation : 0;
    for (int64_t at = begin + missed * window.dilation; at < end; at += window.dilation)
      taps.index.push_back(at);
    taps.finish_result();
    const int64_t inside = taps.first.back() - taps.first[taps.first.size() - 2];
    const int64_t padded = std::min(begin + window.kernel, in + window.padding) - begin;
    taps.count.push_back(counts_padding ? padded : inside);
  }
  return taps;
}

Taps adaptive_taps(int64_t in, int64_t out) {
  Taps taps(in);
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = i * in / out;
    const int64_t end = 1 + ((i + 1) * in - 1) / out;
    for (int64_t at = begin; at < end; ++at) taps.index.push_back(at);
    taps.finish_result();
    taps.count.push_back(end - begin);
  }
  return taps;
}

SymSizes adaptive_sizes(const char* who, const Tensor& input, std::span<const SymInt> output_size,
                        size_t ndim) {
  SymSizes sizes = sym_geometry_of(input).sizes;
  OPWRIGHT_CHECK(output_size.size() == 1 || output_size.size() == ndim, who,
                 ": output_size must hold one size or ", ndim, ", got ", to_text(output_size));
  check_planes(who, "self", sizes, ndim);
  for (size_t i = 0; i < ndim; ++i) {
    const SymInt& size = output_size[output_size.size() == 1 ? 0 : i];
    check(size >= 0,
          concatenate(who, ": output_size must not be negative, got ", to_text(output_size)));
    sizes[sizes.size() - ndim + i] = size;
  }
  return sizes;
}

LinearMap window_map(const Windows& windows, std::span<const int64_t> in,
                     std::span<const int64_t> out, bool counts_padding) {
  return make_map(windows.size(), in, out, [&](size_t i, int64_t from, int64_t to) {
    return window_taps(windows[i], from, to, counts_padding);
  });
}

LinearMap adaptive_map(size_t ndim, std::span<const int64_t> in, std::span<const int64_t> out) {
  return make_map(ndim, in, out,
                  [](size_t, int64_t from, int64_t to) { return adaptive_taps(from, to); });
}

}  // namespace opwright
