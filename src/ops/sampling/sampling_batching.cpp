// vmap rules of columns of windows and of sampling at given positions.
#include <cstdint>
#include <span>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Ints = std::span<const int64_t>;

// A sample is itself a batch of images.
template <class Compute>
VmapResult<Tensor> map_grids(const VmapInfo& info, const Tensor& input, const Tensor& grid,
                             const Compute& compute) {
  const Tensor images = fold_batch(as_batch(info, 0, input), 0);
  const Tensor grids = fold_batch(as_batch(info, 1, grid), 0);
  return batched(unfold_batch(compute(images, grids), 0, info.batch_size));
}

}  // namespace

VmapResult<Tensor> im2col_vmap(const VmapInfo& info, const Tensor& self, Ints kernel_size,
                               Ints dilation, Ints padding, Ints stride) {
  const auto compute = [&](const Tensor& x) {
    return im2col(x, kernel_size, dilation, padding, stride);
  };
  return map_images(info, 3, compute, batch_first(info, 0, self));
}
VmapResult<Tensor> col2im_vmap(const VmapInfo& info, const Tensor& self,
                               std::span<const SymInt> output_size, Ints kernel_size, Ints dilation,
                               Ints padding, Ints stride) {
  const auto compute = [&](const Tensor& x) {
    return col2im(x, output_size, kernel_size, dilation, padding, stride);
  };
  return map_images(info, 2, compute, batch_first(info, 0, self));
}
VmapResult<Tensor> grid_sampler_2d_vmap(const VmapInfo& info, const Tensor& input,
                                        const Tensor& grid, int64_t interpolation_mode,
                                        int64_t padding_mode, bool align_corners) {
  return map_grids(info, input, grid, [&](const Tensor& images, const Tensor& grids) {
    return grid_sampler_2d(images, grids, interpolation_mode, padding_mode, align_corners);
  });
}
VmapResult<Tensor> grid_sampler_3d_vmap(const VmapInfo& info, const Tensor& input,
                                        const Tensor& grid, int64_t interpolation_mode,
                                        int64_t padding_mode, bool align_corners) {
  return map_grids(info, input, grid, [&](const Tensor& volumes, const Tensor& grids) {
    return grid_sampler_3d(volumes, grids, interpolation_mode, padding_mode, align_corners);
  });
}

}  // namespace opwright
