// vmap rules of pooling: the images of all samples form one batch of images.
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;
using Divisor = std::optional<int64_t>;
using TensorPair = std::tuple<Tensor, Tensor>;

constexpr int64_t kPlane = 3;   // channels and two dimensions
constexpr int64_t kVolume = 4;  // channels and three

template <class Compute>
auto map_pool(const VmapInfo& info, int64_t ndim, const Tensor& self, const Compute& compute) {
  return map_images(info, ndim, compute, batch_first(info, 0, self));
}
template <class Compute>
VmapResult<Tensor> map_pool_gradient(const VmapInfo& info, int64_t ndim, const Tensor& grad_output,
                                     const Tensor& self, const Compute& compute) {
  return map_images(info, ndim, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self));
}

}  // namespace

// ---- averages ----
VmapResult<Tensor> avg_pool2d_vmap(const VmapInfo& info, const Tensor& self, Ints kernel_size,
                                   Ints stride, Ints padding, bool ceil_mode,
                                   bool count_include_pad, const Divisor& divisor_override) {
  return map_pool(info, kPlane, self, [&](const Tensor& x) {
    return avg_pool2d(x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                      divisor_override);
  });
}
VmapResult<Tensor> avg_pool3d_vmap(const VmapInfo& info, const Tensor& self, Ints kernel_size,
                                   Ints stride, Ints padding, bool ceil_mode,
                                   bool count_include_pad, const Divisor& divisor_override) {
  return map_pool(info, kVolume, self, [&](const Tensor& x) {
    return avg_pool3d(x, kernel_size, stride, padding, ceil_mode, count_include_pad,
                      divisor_override);
  });
}
VmapResult<Tensor> avg_pool2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, Ints kernel_size, Ints stride,
                                            Ints padding, bool ceil_mode, bool count_include_pad,
                                            const Divisor& divisor_override) {
  return map_pool_gradient(
      info, kPlane, grad_output, self, [&](const Tensor& grads, const Tensor& x) {
        return avg_pool2d_backward(grads, x, kernel_size, stride, padding, ceil_mode,
                                   count_include_pad, divisor_override);
      });
}
VmapResult<Tensor> avg_pool3d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, Ints kernel_size, Ints stride,
                                            Ints padding, bool ceil_mode, bool count_include_pad,
                                            const Divisor& divisor_override) {
  return map_pool_gradient(
      info, kVolume, grad_output, self, [&](const Tensor& grads, const Tensor& x) {
        return avg_pool3d_backward(grads, x, kernel_size, stride, padding, ceil_mode,
                                   count_include_pad, divisor_override);
      });
}
VmapResult<Tensor> adaptive_avg_pool2d_vmap(const VmapInfo& info, const Tensor& self,
                                            std::span<const SymInt> output_size) {
  return map_pool(info, kPlane, self,
                  [&](const Tensor& x) { return _adaptive_avg_pool2d(x, output_size); });
}
VmapResult<Tensor> adaptive_avg_pool3d_vmap(const VmapInfo& info, const Tensor& self,
                                            std::span<const SymInt> output_size) {
  return map_pool(info, kVolume, self,
                  [&](const Tensor& x) { return _adaptive_avg_pool3d(x, output_size); });
}
VmapResult<Tensor> adaptive_avg_pool2d_backward_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output,
                                                     const Tensor& self) {
  return map_pool_gradient(
      info, kPlane, grad_output, self,
      [](const Tensor& grads, const Tensor& x) { return _adaptive_avg_pool2d_backward(grads, x); });
}
VmapResult<Tensor> adaptive_avg_pool3d_backward_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output,
                                                     const Tensor& self) {
  return map_pool_gradient(
      info, kVolume, grad_output, self,
      [](const Tensor& grads, const Tensor& x) { return _adaptive_avg_pool3d_backward(grads, x); });
}

// ---- maxima ----
VmapResult<TensorPair> max_pool2d_vmap(const VmapInfo& info, const Tensor& self, Ints kernel_size,
                                       Ints stride, Ints padding, Ints dilation, bool ceil_mode) {
  return map_pool(info, kPlane, self, [&](const Tensor& x) {
    return max_pool2d_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode);
  });
}
VmapResult<TensorPair> max_pool3d_vmap(const VmapInfo& info, const Tensor& self, Ints kernel_size,
                                       Ints stride, Ints padding, Ints dilation, bool ceil_mode) {
  return map_pool(info, kVolume, self, [&](const Tensor& x) {
    return max_pool3d_with_indices(x, kernel_size, stride, padding, dilation, ceil_mode);
  });
}
VmapResult<Tensor> max_pool2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, Ints kernel_size, Ints stride,
                                            Ints padding, Ints dilation, bool ceil_mode,
                                            const Tensor& indices) {
  const auto compute = [&](const Tensor& grads, const Tensor& x, const Tensor& places) {
    return max_pool2d_with_indices_backward(grads, x, kernel_size, stride, padding, dilation,
                                            ceil_mode, places);
  };
  return map_images(info, kPlane, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self),
                    as_batch(info, 7, indices));
}
VmapResult<Tensor> max_pool3d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, Ints kernel_size, Ints stride,
                                            Ints padding, Ints dilation, bool ceil_mode,
                                            const Tensor& indices) {
  const auto compute = [&](const Tensor& grads, const Tensor& x, const Tensor& places) {
    return max_pool3d_with_indices_backward(grads, x, kernel_size, stride, padding, dilation,
                                            ceil_mode, places);
  };
  return map_images(info, kVolume, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self),
                    as_batch(info, 7, indices));
}
VmapResult<TensorPair> adaptive_max_pool2d_vmap(const VmapInfo& info, const Tensor& self,
                                                Ints output_size) {
  return map_pool(info, kPlane, self,
                  [&](const Tensor& x) { return adaptive_max_pool2d(x, output_size); });
}
VmapResult<TensorPair> adaptive_max_pool3d_vmap(const VmapInfo& info, const Tensor& self,
                                                Ints output_size) {
  return map_pool(info, kVolume, self,
                  [&](const Tensor& x) { return adaptive_max_pool3d(x, output_size); });
}
VmapResult<Tensor> adaptive_max_pool2d_backward_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output, const Tensor& self,
                                                     const Tensor& indices) {
  const auto compute = [](const Tensor& grads, const Tensor& x, const Tensor& places) {
    return adaptive_max_pool2d_backward(grads, x, places);
  };
  return map_images(info, kPlane, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self),
                    as_batch(info, 2, indices));
}
VmapResult<Tensor> adaptive_max_pool3d_backward_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output, const Tensor& self,
                                                     const Tensor& indices) {
  const auto compute = [](const Tensor& grads, const Tensor& x, const Tensor& places) {
    return adaptive_max_pool3d_backward(grads, x, places);
  };
  return map_images(info, kVolume, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self),
                    as_batch(info, 2, indices));
}

}  // namespace opwright
