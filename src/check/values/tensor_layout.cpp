#include "opwright/check/values/tensor_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "opwright/autograd/history.h"
#include "opwright/autograd/value_meta.h"
#include "opwright/device.h"
#include "opwright/dtype.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/grad_mode.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/storage.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr int64_t kMostAround = 64;  // elements of the larger tensor kept around a slice

int64_t extent_of(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  return find_extent(sizes, strides)->length();
}

// Dimensions, innermost in memory first.
std::vector<size_t> inner_first(std::span<const int64_t> strides) {
  std::vector<size_t> dims(strides.size());
  std::iota(dims.begin(), dims.end(), size_t{0});
  std::ranges::sort(dims, [&](size_t a, size_t b) {
    return strides[a] != strides[b] ? strides[a] < strides[b] : a > b;
  });
  return dims;
}

// Memory filled with the values, repeated.
Tensor fill_memory(const Tensor& values, int64_t length) {
  Tensor memory = make_empty(Sizes{length}, values.dtype());
  auto* to = static_cast<std::byte*>(memory.mutable_data());
  const size_t bytes = static_cast<size_t>(length) * item_size(values.dtype());
  const size_t pattern = static_cast<size_t>(values.numel()) * item_size(values.dtype());
  if (pattern == 0) return std::memset(to, 0, bytes), memory;
  for (size_t at = 0; at < bytes; at += pattern) {
    std::memcpy(to + at, values.data(), std::min(pattern, bytes - at));
  }
  return memory;
}

}  // namespace

TensorLayout layout_of(const Tensor& tensor) {
  const Geometry geometry = geometry_of(tensor);
  const bool has_negative =
      std::ranges::any_of(geometry.strides, [](int64_t stride) { return stride < 0; });
  if (has_negative) return contiguous_layout(geometry.sizes);
  TensorLayout layout{.strides = geometry.strides, .offset = geometry.offset};
  const size_t nbytes = impl(tensor).storage->nbytes;
  const auto length = static_cast<int64_t>(nbytes / item_size(tensor.dtype()));
  const int64_t behind = length - layout.offset - extent_of(geometry.sizes, geometry.strides);
  layout.tail = nbytes == kUnknownBytes ? 0 : std::clamp<int64_t>(behind, 0, kMostAround);
  layout.offset = std::min(layout.offset, kMostAround);
  return layout;
}

TensorLayout fit_layout(const TensorLayout& layout, std::span<const int64_t> sizes,
                        std::span<const int64_t> new_sizes) {
  TensorLayout fitted = layout;
  int64_t inner_stride = 1;
  int64_t old_stride = 1;
  int64_t inner_size = 1;  // of the dimension inside: before and after
  int64_t new_inner_size = 1;
  for (const size_t dim : inner_first(layout.strides)) {
    const int64_t stride = layout.strides[dim];
    if (stride == 0 && sizes[dim] > 1) continue;
    const int64_t pitch = std::max<int64_t>(stride, 1) / old_stride;
    const int64_t fit = std::max<int64_t>(pitch - inner_size + new_inner_size, 1);
    fitted.strides[dim] = inner_stride * fit;
    inner_stride = fitted.strides[dim];
    old_stride = std::max<int64_t>(stride, 1);
    inner_size = std::max<int64_t>(sizes[dim], 1);
    new_inner_size = std::max<int64_t>(new_sizes[dim], 1);
  }
  return fitted;
}

TensorLayout contiguous_layout(std::span<const int64_t> sizes) {
  return {.strides = contiguous_strides(sizes)};
}

TensorLayout ordered_layout(std::span<const int64_t> sizes, std::span<const int64_t> order) {
  Sizes strides(sizes.size());
  int64_t dense = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto dim = static_cast<size_t>(order[i]);
    strides[dim] = dense;
    dense *= std::max<int64_t>(sizes[dim], 1);
  }
  return {.strides = strides};
}

TensorLayout reversed_layout(std::span<const int64_t> sizes) {
  std::vector<int64_t> order(sizes.size());
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  return ordered_layout(sizes, order);
}

TensorLayout gapped_layout(std::span<const int64_t> sizes, int64_t step, int64_t start) {
  Sizes around(sizes.begin(), sizes.end());
  for (int64_t& size : around) size = start + step * size + 1;
  TensorLayout layout{.strides = contiguous_strides(around)};
  for (int64_t& stride : layout.strides) {
    layout.offset += start * stride;
    stride *= step;
  }
  const int64_t length = product(around);
  layout.tail = length - layout.offset - extent_of(sizes, layout.strides);
  return layout;
}

TensorLayout repeated_layout(std::span<const int64_t> sizes, size_t dim) {
  Sizes single(sizes.begin(), sizes.end());
  single[dim] = 1;
  TensorLayout layout = contiguous_layout(single);
  layout.strides[dim] = 0;
  return layout;
}

Tensor lay_out(const Tensor& values, const TensorLayout& layout, const Tensor& like) {
  const NoGradScope no_grad;
  const auto sizes = values.sizes();
  const int64_t length = layout.offset + extent_of(sizes, layout.strides) + layout.tail;
  Tensor memory = fill_memory(values, length);
  Sizes single(sizes.begin(), sizes.end());
  for (size_t dim = 0; dim < single.size(); ++dim) {
    if (layout.strides[dim] == 0) single[dim] = std::min<int64_t>(single[dim], 1);
  }
  copy_elements(make_view(memory, single, layout.strides, layout.offset),
                make_view(values, single, values.strides(), 0));
  if (like.device() != kCpu) memory = memory.to(like.device(), memory.dtype());
  const Tensor laid = make_view(memory, sizes, layout.strides, layout.offset);
  if (like.requires_grad() && has_gradients(laid.dtype())) set_requires_grad(laid, true);
  return laid;
}

bool are_same_memory(const Tensor& a, const Tensor& b) {
  return impl(a).storage == impl(b).storage && impl(a).storage_offset == impl(b).storage_offset &&
         a.dtype() == b.dtype() && std::ranges::equal(a.sizes(), b.sizes()) &&
         std::ranges::equal(a.strides(), b.strides());
}

Tensor same_memory(const Tensor& tensor, bool requires_grad) {
  const Tensor other = make_view(tensor, geometry_of(tensor));
  if (requires_grad) set_requires_grad(other, true);
  return other;
}

}  // namespace opwright
