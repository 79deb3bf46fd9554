// Max pooling on devices: a fold over the windows of an image.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "opwright/ops/pooling/window.h"
#include "opwright/tensor.h"

namespace opwright {

// The largest elements of the windows, of `sizes`, and their indices in their plane. The first of
// equal elements is taken, and of those that are not numbers.
[[nodiscard]] std::tuple<Tensor, Tensor> find_largest_on_device(const Tensor& self,
                                                                const Windows& windows,
                                                                std::span<const int64_t> sizes);
// The gradient of `self`, zeros but where indices point; planes are the last `ndim` dimensions.
[[nodiscard]] Tensor scatter_gradient_on_device(const Tensor& grad, const Tensor& self,
                                                const Tensor& indices, size_t ndim);

}  // namespace opwright
