#include "opwright/ops/convolution/device_convolution.h"

#include <cstddef>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/engine/product/tensor_product.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Shape = ConvolutionShape<int64_t>;
using Ints = std::span<const int64_t>;

int64_t product_from(Ints sizes, size_t first) { return product(sizes.subspan(first)); }

// Permutation of `count` dimensions that puts `from` to `to` first.
std::vector<int64_t> order_of(int64_t count, int64_t from, int64_t to) {
  std::vector<int64_t> order;
  for (int64_t i = from; i < to; ++i) order.push_back(i);
  for (int64_t i = 0; i < count; ++i) {
    if (i < from || i >= to) order.push_back(i);
  }
  return order;
}

// [N, groups, channels per group, kernel..., places...] from a padded image.
Tensor take_grouped_windows(const Tensor& padded, Ints kernel, Ints places, const Shape& shape) {
  const Geometry image = geometry_of(padded);
  Geometry windows{.sizes = {image.sizes[0], shape.groups, image.sizes[1] / shape.groups},
                   .strides = {image.strides[0], image.strides[1] * image.sizes[1] / shape.groups,
                               image.strides[1]},
                   .offset = image.offset};
  for (size_t i = 0; i < kernel.size(); ++i) {
    windows.sizes.push_back(kernel[i]);
    windows.strides.push_back(image.strides[i + 2] * shape.dilation[i]);
  }
  for (size_t i = 0; i < places.size(); ++i) {
    windows.sizes.push_back(places[i]);
    windows.strides.push_back(image.strides[i + 2] * shape.stride[i]);
  }
  return make_view(padded, windows);
}

// [groups, weights per place, N * places]
Tensor take_columns(const Tensor& image, Ints kernel, Ints places, const Shape& shape) {
  std::vector<SymInt> pad;
  for (size_t i = shape.padding.size(); i-- > 0;) {
    pad.emplace_back(shape.padding[i]);
    pad.emplace_back(shape.padding[i]);
  }
  const Tensor windows =
      take_grouped_windows(constant_pad_nd(image, pad, 0), kernel, places, shape);
  const int64_t depth = image.size(1) / shape.groups * product(kernel);
  const auto order = order_of(windows.dim(), 1, 3 + static_cast<int64_t>(kernel.size()));
  return windows.permute(order).reshape({shape.groups, depth, image.size(0) * product(places)});
}

// [groups, channels per group, N * places]
Tensor as_matrices(const Tensor& places, const Shape& shape) {
  const int64_t channels = places.size(1) / shape.groups;
  const int64_t count = product_from(places.sizes(), 2);
  return places.reshape({places.size(0), shape.groups, channels, count})
      .permute({1, 2, 0, 3})
      .reshape({shape.groups, channels, places.size(0) * count});
}

// [groups, channels of the places per group, weights per place]
Tensor weight_matrices(const Tensor& weight, const Shape& shape) {
  return weight.reshape(
      {shape.groups, weight.size(0) / shape.groups, product_from(weight.sizes(), 1)});
}

// Adds the contribution of each kernel element to the image.
void add_taps(const Tensor& windows, const Tensor& columns, Ints kernel) {
  const int64_t taps = product(kernel);
  for (int64_t tap = 0; tap < taps; ++tap) {
    Tensor target = windows;
    Tensor source = columns;
    int64_t rest = tap;
    for (size_t i = kernel.size(); i-- > 0; rest /= kernel[i]) {
      const auto dim = static_cast<int64_t>(i);
      target = target.select(3 + dim, rest % kernel[i]);
      source = source.select(2 + dim, rest % kernel[i]);
    }
    target.add_(source.movedim(2, 0));
  }
}

}  // namespace

Tensor convolve_on_device(const Tensor& image, const Tensor& weight, const Shape& shape,
                          Ints sizes) {
  const Tensor columns = take_columns(image, weight.sizes().subspan(2), sizes.subspan(2), shape);
  return weight_matrices(weight, shape)
      .bmm(columns)
      .reshape({sizes[1], sizes[0], product_from(sizes, 2)})
      .transpose(0, 1)
      .reshape(sizes);
}

Tensor convolve_back_on_device(const Tensor& places, const Tensor& weight, const Shape& shape,
                               Ints sizes) {
  const Ints kernel = weight.sizes().subspan(2);
  const Ints counts = places.sizes().subspan(2);
  Sizes padded_sizes(sizes);
  for (size_t i = 0; i < kernel.size(); ++i) padded_sizes[i + 2] += 2 * shape.padding[i];
  const Tensor padded =
      zeros(padded_sizes, product_dtype(places.dtype()), std::nullopt, places.device());
  Sizes column_sizes{shape.groups, sizes[1] / shape.groups};
  column_sizes.append(kernel.begin(), kernel.end());
  column_sizes.push_back(sizes[0]);
  column_sizes.append(counts.begin(), counts.end());
  const Tensor columns = weight_matrices(weight, shape)
                             .transpose(1, 2)
                             .bmm(as_matrices(places, shape))
                             .reshape(column_sizes);
  add_taps(take_grouped_windows(padded, kernel, counts, shape), columns, kernel);
  Tensor image = padded;
  for (size_t i = 0; i < kernel.size(); ++i)
    image = image.narrow(static_cast<int64_t>(i) + 2, shape.padding[i], sizes[i + 2]);
  return image.to(places.dtype());
}

Tensor find_weight_gradient_on_device(const Tensor& image, const Tensor& places, const Shape& shape,
                                      Ints sizes) {
  const Tensor columns = take_columns(image, sizes.subspan(2), places.sizes().subspan(2), shape);
  return as_matrices(places, shape).bmm(columns.transpose(1, 2)).reshape(sizes);
}

}  // namespace opwright
