// Max pooling on devices: a reduction over the windows of an image.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "opwright/ops/pooling/window.h"
#include "opwright/tensor.h"

namespace opwright {

// The largest element of each window, of `sizes`, and its index in its plane. The first of equal
// elements is chosen, and the first NaN.
[[nodiscard]] std::tuple<Tensor, Tensor> find_largest_on_device(const Tensor& self,
                                                                const Windows& windows,
                                                                std::span<const int64_t> sizes);
// The gradient of `self`, zero except where indices point; planes are the last `ndim` dimensions.
[[nodiscard]] Tensor scatter_gradient_on_device(const Tensor& grad, const Tensor& self,
                                                const Tensor& indices, size_t ndim);

}  // namespace opwright
