// im2col and col2im: the windows of an image as columns of a matrix, and the image that is the sum
// of such columns.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "opwright/error.h"
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/pooling/window.h"
#include "opwright/ops/sampling/planes.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;

void check_dtype(const char* who, DType dtype) {
  check_plane_dtype(who, "self", dtype, {DType::Bool, DType::Complex64, DType::Complex128});
}

Windows windows_of(const char* who, Ints kernel_size, Ints dilation, Ints padding, Ints stride) {
  const auto check_pair = [&](const char* name, Ints numbers) {
    OPWRIGHT_CHECK(numbers.size() == 2, who, ": ", name, " must hold 2 numbers, got ",
                   to_text(numbers));
  };
  check_pair("kernel_size", kernel_size);
  check_pair("dilation", dilation);
  check_pair("padding", padding);
  check_pair("stride", stride);
  return find_windows({.who = who,
                       .ndim = 2,
                       .kernel_size = kernel_size,
                       .stride = stride,
                       .padding = padding,
                       .dilation = dilation});
}

int64_t window_numel(const Windows& windows) { return windows[0].kernel * windows[1].kernel; }

// The number of windows along each dimension of an image of these sizes.
std::pair<SymInt, SymInt> count_in_image(const char* who, std::span<const SymInt> image,
                                         const Windows& windows) {
  std::pair<SymInt, SymInt> counts{count_windows(image[0], windows[0], false),
                                   count_windows(image[1], windows[1], false)};
  check(sym_and(counts.first >= 1, counts.second >= 1),
        concatenate(who, ": no window of [", windows[0].extent(), ", ", windows[1].extent(),
                    "] elements fits in an image of ", to_text(image), " with padding [",
                    windows[0].padding, ", ", windows[1].padding, "]"));
  return counts;
}

SymSizes column_sizes(const char* who, const Tensor& self, const Windows& windows) {
  check_dtype(who, self.dtype());
  SymSizes sizes = sym_geometry_of(self).sizes;
  check_planes(who, "self", sizes, 2);
  const auto [rows, columns] = count_in_image(who, std::span(sizes).last(2), windows);
  sizes.resize(sizes.size() - 2);
  sizes.back() = sizes.back() * window_numel(windows);
  sizes.push_back(rows * columns);
  return sizes;
}

SymSizes image_sizes(const char* who, const Tensor& self, std::span<const SymInt> output_size,
                     const Windows& windows) {
  check_dtype(who, self.dtype());
  OPWRIGHT_CHECK(output_size.size() == 2, who, ": output_size must hold 2 sizes, got ",
                 to_text(output_size));
  SymSizes sizes = sym_geometry_of(self).sizes;
  check_planes(who, "self", sizes, 1);
  const std::string given = to_text(sizes);
  check(sym_and(output_size[0] > 0, output_size[1] > 0),
        concatenate(who, ": output_size must be positive, got ", to_text(output_size)));
  const auto [rows, columns] = count_in_image(who, output_size, windows);
  check(sizes.back() == rows * columns,
        concatenate(who, ": the last dimension of self of sizes ", given,
                    " must have a column for ", "each of ", rows, " * ", columns,
                    " windows in output_size ", to_text(output_size)));
  sizes.pop_back();
  check(sizes.back() % window_numel(windows) == 0,
        concatenate(who, ": the rows of self of sizes ", given, " must be a multiple of ",
                    window_numel(windows), ", the elements of a window"));
  sizes.back() = sizes.back() / window_numel(windows);
  sizes.push_back(output_size[0]);
  sizes.push_back(output_size[1]);
  return sizes;
}

// The results [begin, end) of a row for which element `offset` of the window is inside.
std::pair<int64_t, int64_t> find_inside(const Window& window, int64_t offset, int64_t in,
                                        int64_t out) {
  const int64_t first = offset * window.dilation - window.padding;
  const int64_t begin = first < 0 ? (-first + window.stride - 1) / window.stride : 0;
  const int64_t end = first < in ? (in - 1 - first) / window.stride + 1 : 0;
  return {std::min(begin, out), std::clamp(end, std::min(begin, out), out)};
}

// Calls body(row of columns, row of the image, begin, end, step) for each row of results of each
// element of a window; a null row is in the padding.
template <class C, class Image, class Body>
void for_each_row(C* columns, Image* image, const Windows& windows, Ints in, Ints out,
                  const Body& body) {
  for (int64_t i = 0; i < windows[0].kernel; ++i) {
    for (int64_t j = 0; j < windows[1].kernel; ++j) {
      const auto [begin, end] = find_inside(windows[1], j, in[1], out[1]);
      const int64_t shift = j * windows[1].dilation - windows[1].padding;
      for (int64_t y = 0; y < out[0]; ++y) {
        const int64_t at = y * windows[0].stride + i * windows[0].dilation - windows[0].padding;
        const bool is_inside = at >= 0 && at < in[0];
        body(columns, is_inside && begin < end ? image + at * in[1] : nullptr, begin, end, shift);
        columns += out[1];
      }
    }
  }
}

struct Call {
  Windows windows;
  Sizes in;   // of the image
  Sizes out;  // windows along each dimension
};
Call describe_columns(const Windows& windows, Ints image) {
  Call call{.windows = windows, .in = Sizes(image), .out = {}};
  for (size_t i = 0; i < 2; ++i)
    call.out.push_back(count_windows(image[i], windows[i], false).specialise());
  return call;
}

template <class C>
void take_image_columns(const Call& call, const Tensor& image, const Tensor& columns) {
  const int64_t from = product(call.in);
  const int64_t to = product(call.out) * window_numel(call.windows);
  const int64_t stride = call.windows[1].stride;
  const C* in = image.data<C>();
  C* out = columns.mutable_data<C>();
  for_each_plane(image.numel() / from, to, [&](int64_t first, int64_t last) {
    for (int64_t plane = first; plane < last; ++plane) {
      for_each_row(out + plane * to, in + plane * from, call.windows, call.in, call.out,
                   [&](C* row, const C* source, int64_t begin, int64_t end, int64_t shift) {
                     if (!source) begin = end = call.out[1];
                     std::fill(row, row + begin, C{});
                     if (stride == 1 && begin < end)
                       std::copy(source + begin + shift, source + end + shift, row + begin);
                     else
                       for (int64_t x = begin; x < end; ++x) row[x] = source[x * stride + shift];
                     std::fill(row + end, row + call.out[1], C{});
                   });
    }
  });
}

template <class C>
void add_columns(const Call& call, const Tensor& columns, const Tensor& image) {
  const int64_t to = product(call.in);
  const int64_t from = product(call.out) * window_numel(call.windows);
  const int64_t stride = call.windows[1].stride;
  const C* in = columns.data<C>();
  C* out = image.mutable_data<C>();
  for_each_plane(image.numel() / to, from, [&](int64_t first, int64_t last) {
    for (int64_t plane = first; plane < last; ++plane) {
      std::fill_n(out + plane * to, to, C{});
      for_each_row(in + plane * from, out + plane * to, call.windows, call.in, call.out,
                   [&](const C* row, C* target, int64_t begin, int64_t end, int64_t shift) {
                     if (!target) return;
                     for (int64_t x = begin; x < end; ++x) {
                       C& sum = target[x * stride + shift];
                       sum = wrap_add(sum, row[x]);
                     }
                   });
    }
  });
}

// Calls body.operator()<C>(): halves are computed as float32.
template <class Body>
void for_column_dtype(const char* who, DType dtype, const Body& body) {
  if (dtype == DType::Bool) return body.template operator()<bool>();
  if (dtype == DType::Float32) return body.template operator()<float>();
  if (dtype == DType::Float64) return body.template operator()<double>();
  for_complex_dtype(dtype, who, body);
}

}  // namespace

Tensor im2col_cpu(const Tensor& self, Ints kernel_size, Ints dilation, Ints padding, Ints stride) {
  constexpr const char* kWho = "im2col";
  const Windows windows = windows_of(kWho, kernel_size, dilation, padding, stride);
  const Sizes sizes = plain_sizes(column_sizes(kWho, self, windows));
  const DType wide = plane_dtype(self.dtype());
  const Tensor columns = make_empty(sizes, wide);
  if (columns.numel() != 0) {
    const Tensor dense = as_contiguous(as_dtype(self, wide));
    const Call call = describe_columns(windows, self.sizes().last(2));
    for_column_dtype(kWho, wide,
                     [&]<typename C>() { take_image_columns<C>(call, dense, columns); });
  }
  return as_dtype(columns, self.dtype());
}
FakeTensor im2col_fake(const FakeTensor& self, Ints kernel_size, Ints dilation, Ints padding,
                       Ints stride) {
  constexpr const char* kWho = "im2col";
  const Windows windows = windows_of(kWho, kernel_size, dilation, padding, stride);
  return make_fake_like(self, column_sizes(kWho, as_tensor(self), windows), self.dtype());
}

Tensor col2im_cpu(const Tensor& self, Ints output_size, Ints kernel_size, Ints dilation,
                  Ints padding, Ints stride) {
  constexpr const char* kWho = "col2im";
  const Windows windows = windows_of(kWho, kernel_size, dilation, padding, stride);
  const Sizes sizes = plain_sizes(image_sizes(kWho, self, symbolic_sizes(output_size), windows));
  const DType wide = plane_dtype(self.dtype());
  const Tensor image = make_empty(sizes, wide);
  if (image.numel() != 0) {
    const Tensor dense = as_contiguous(as_dtype(self, wide));
    const Call call = describe_columns(windows, output_size);
    for_column_dtype(kWho, wide, [&]<typename C>() { add_columns<C>(call, dense, image); });
  }
  return as_dtype(image, self.dtype());
}
FakeTensor col2im_fake(const FakeTensor& self, std::span<const SymInt> output_size,
                       Ints kernel_size, Ints dilation, Ints padding, Ints stride) {
  constexpr const char* kWho = "col2im";
  const Windows windows = windows_of(kWho, kernel_size, dilation, padding, stride);
  return make_fake_like(self, image_sizes(kWho, as_tensor(self), output_size, windows),
                        self.dtype());
}

}  // namespace opwright
