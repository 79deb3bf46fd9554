// vmap rules of fractional pooling: the images of all samples form one batch of images.
#include <cstdint>
#include <span>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using FractionalInts = std::span<const int64_t>;
using FractionalPair = std::tuple<Tensor, Tensor>;

// The random samples have a batch dimension even if the image has none.
template <class Compute>
VmapResult<FractionalPair> map_fractional(const VmapInfo& info, int64_t ndim, const Tensor& self,
                                          const Tensor& random_samples, const Compute& compute) {
  const Tensor images = as_batch(info, 0, self);
  const Tensor samples = fold_batch(as_batch(info, 3, random_samples), 0);
  if (images.dim() == ndim + 1) return batched(compute(images, samples));
  return batched(unfold_batch(compute(fold_batch(images, 0), samples), 0, info.batch_size));
}

template <class Compute>
VmapResult<Tensor> map_fractional_gradient(const VmapInfo& info, int64_t ndim,
                                           const Tensor& grad_output, const Tensor& self,
                                           const Tensor& indices, const Compute& compute) {
  return map_images(info, ndim, compute, as_batch(info, 0, grad_output), as_batch(info, 1, self),
                    as_batch(info, 4, indices));
}

}  // namespace

VmapResult<FractionalPair> fractional_max_pool2d_vmap(const VmapInfo& info, const Tensor& self,
                                                      FractionalInts kernel_size,
                                                      FractionalInts output_size,
                                                      const Tensor& random_samples) {
  return map_fractional(info, 3, self, random_samples,
                        [&](const Tensor& images, const Tensor& samples) {
                          return fractional_max_pool2d(images, kernel_size, output_size, samples);
                        });
}
VmapResult<FractionalPair> fractional_max_pool3d_vmap(const VmapInfo& info, const Tensor& self,
                                                      FractionalInts kernel_size,
                                                      FractionalInts output_size,
                                                      const Tensor& random_samples) {
  return map_fractional(info, 4, self, random_samples,
                        [&](const Tensor& images, const Tensor& samples) {
                          return fractional_max_pool3d(images, kernel_size, output_size, samples);
                        });
}
VmapResult<Tensor> fractional_max_pool2d_backward_vmap(
    const VmapInfo& info, const Tensor& grad_output, const Tensor& self, FractionalInts kernel_size,
    FractionalInts output_size, const Tensor& indices) {
  return map_fractional_gradient(info, 3, grad_output, self, indices,
                                 [&](const Tensor& grads, const Tensor& x, const Tensor& places) {
                                   return fractional_max_pool2d_backward(grads, x, kernel_size,
                                                                         output_size, places);
                                 });
}
VmapResult<Tensor> fractional_max_pool3d_backward_vmap(
    const VmapInfo& info, const Tensor& grad_output, const Tensor& self, FractionalInts kernel_size,
    FractionalInts output_size, const Tensor& indices) {
  return map_fractional_gradient(info, 4, grad_output, self, indices,
                                 [&](const Tensor& grads, const Tensor& x, const Tensor& places) {
                                   return fractional_max_pool3d_backward(grads, x, kernel_size,
                                                                         output_size, places);
                                 });
}

}  // namespace opwright
