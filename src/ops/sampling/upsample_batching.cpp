// vmap rules of interpolation: the images of all samples form one batch of images.
#include <optional>
#include <span>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

using SizeList = std::span<const SymInt>;
using Scale = std::optional<double>;

// A sample is itself a batch of images.
template <class Compute>
VmapResult<Tensor> map_batched_planes(const VmapInfo& info, const Tensor& self,
                                      const Compute& compute) {
  const Tensor folded = fold_batch(batch_first(info, 0, self), 0);
  return batched(unfold_batch(compute(folded), 0, info.batch_size));
}

// The sizes for the images of all samples.
SymSizes folded_sizes(const VmapInfo& info, SizeList input_size) {
  SymSizes sizes(input_size);
  sizes[0] = sizes[0] * info.batch_size;
  return sizes;
}

}  // namespace

VmapResult<Tensor> upsample_nearest1d_vmap(const VmapInfo& info, const Tensor& self,
                                           SizeList output_size, const Scale& scales) {
  return map_batched_planes(
      info, self, [&](const Tensor& x) { return upsample_nearest1d(x, output_size, scales); });
}
VmapResult<Tensor> upsample_nearest2d_vmap(const VmapInfo& info, const Tensor& self,
                                           SizeList output_size, const Scale& scales_h,
                                           const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_nearest2d(x, output_size, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_nearest3d_vmap(const VmapInfo& info, const Tensor& self,
                                           SizeList output_size, const Scale& scales_d,
                                           const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_nearest3d(x, output_size, scales_d, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_nearest_exact1d_vmap(const VmapInfo& info, const Tensor& self,
                                                 SizeList output_size, const Scale& scales) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_nearest_exact1d(x, output_size, scales);
  });
}
VmapResult<Tensor> upsample_nearest_exact2d_vmap(const VmapInfo& info, const Tensor& self,
                                                 SizeList output_size, const Scale& scales_h,
                                                 const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_nearest_exact2d(x, output_size, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_nearest_exact3d_vmap(const VmapInfo& info, const Tensor& self,
                                                 SizeList output_size, const Scale& scales_d,
                                                 const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_nearest_exact3d(x, output_size, scales_d, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_linear1d_vmap(const VmapInfo& info, const Tensor& self,
                                          SizeList output_size, bool align_corners,
                                          const Scale& scales) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_linear1d(x, output_size, align_corners, scales);
  });
}
VmapResult<Tensor> upsample_bilinear2d_vmap(const VmapInfo& info, const Tensor& self,
                                            SizeList output_size, bool align_corners,
                                            const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_bilinear2d(x, output_size, align_corners, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_trilinear3d_vmap(const VmapInfo& info, const Tensor& self,
                                             SizeList output_size, bool align_corners,
                                             const Scale& scales_d, const Scale& scales_h,
                                             const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_trilinear3d(x, output_size, align_corners, scales_d, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_bicubic2d_vmap(const VmapInfo& info, const Tensor& self,
                                           SizeList output_size, bool align_corners,
                                           const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return upsample_bicubic2d(x, output_size, align_corners, scales_h, scales_w);
  });
}

// ---- gradients ----
VmapResult<Tensor> upsample_nearest1d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                    SizeList output_size, SizeList input_size,
                                                    const Scale& scales) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_nearest1d_backward(grads, output_size, folded_sizes(info, input_size), scales);
  });
}
VmapResult<Tensor> upsample_nearest2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                    SizeList output_size, SizeList input_size,
                                                    const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_nearest2d_backward(grads, output_size, folded_sizes(info, input_size), scales_h,
                                       scales_w);
  });
}
VmapResult<Tensor> upsample_nearest3d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                    SizeList output_size, SizeList input_size,
                                                    const Scale& scales_d, const Scale& scales_h,
                                                    const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_nearest3d_backward(grads, output_size, folded_sizes(info, input_size), scales_d,
                                       scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_nearest_exact1d_backward_vmap(const VmapInfo& info,
                                                          const Tensor& grad_output,
                                                          SizeList output_size, SizeList input_size,
                                                          const Scale& scales) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_nearest_exact1d_backward(grads, output_size, folded_sizes(info, input_size),
                                              scales);
  });
}
VmapResult<Tensor> upsample_nearest_exact2d_backward_vmap(const VmapInfo& info,
                                                          const Tensor& grad_output,
                                                          SizeList output_size, SizeList input_size,
                                                          const Scale& scales_h,
                                                          const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_nearest_exact2d_backward(grads, output_size, folded_sizes(info, input_size),
                                              scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_nearest_exact3d_backward_vmap(
    const VmapInfo& info, const Tensor& grad_output, SizeList output_size, SizeList input_size,
    const Scale& scales_d, const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_nearest_exact3d_backward(grads, output_size, folded_sizes(info, input_size),
                                              scales_d, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_linear1d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                   SizeList output_size, SizeList input_size,
                                                   bool align_corners, const Scale& scales) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_linear1d_backward(grads, output_size, folded_sizes(info, input_size),
                                      align_corners, scales);
  });
}
VmapResult<Tensor> upsample_bilinear2d_backward_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output,
                                                     SizeList output_size, SizeList input_size,
                                                     bool align_corners, const Scale& scales_h,
                                                     const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_bilinear2d_backward(grads, output_size, folded_sizes(info, input_size),
                                        align_corners, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_trilinear3d_backward_vmap(
    const VmapInfo& info, const Tensor& grad_output, SizeList output_size, SizeList input_size,
    bool align_corners, const Scale& scales_d, const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_trilinear3d_backward(grads, output_size, folded_sizes(info, input_size),
                                         align_corners, scales_d, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_bicubic2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                    SizeList output_size, SizeList input_size,
                                                    bool align_corners, const Scale& scales_h,
                                                    const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return upsample_bicubic2d_backward(grads, output_size, folded_sizes(info, input_size),
                                       align_corners, scales_h, scales_w);
  });
}

// ---- antialiased ----
VmapResult<Tensor> upsample_bilinear2d_aa_vmap(const VmapInfo& info, const Tensor& self,
                                               SizeList output_size, bool align_corners,
                                               const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_bilinear2d_aa(x, output_size, align_corners, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_bilinear2d_aa_backward_vmap(const VmapInfo& info,
                                                        const Tensor& grad_output,
                                                        SizeList output_size, SizeList input_size,
                                                        bool align_corners, const Scale& scales_h,
                                                        const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_bilinear2d_aa_backward(grads, output_size, folded_sizes(info, input_size),
                                            align_corners, scales_h, scales_w);
  });
}

VmapResult<Tensor> upsample_bicubic2d_aa_vmap(const VmapInfo& info, const Tensor& self,
                                              SizeList output_size, bool align_corners,
                                              const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_bicubic2d_aa(x, output_size, align_corners, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_bicubic2d_aa_backward_vmap(const VmapInfo& info,
                                                       const Tensor& grad_output,
                                                       SizeList output_size, SizeList input_size,
                                                       bool align_corners, const Scale& scales_h,
                                                       const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_bicubic2d_aa_backward(grads, output_size, folded_sizes(info, input_size),
                                           align_corners, scales_h, scales_w);
  });
}

VmapResult<Tensor> upsample_lanczos2d_aa_vmap(const VmapInfo& info, const Tensor& self,
                                              SizeList output_size, bool align_corners,
                                              const Scale& scales_h, const Scale& scales_w) {
  return map_batched_planes(info, self, [&](const Tensor& x) {
    return _upsample_lanczos2d_aa(x, output_size, align_corners, scales_h, scales_w);
  });
}
VmapResult<Tensor> upsample_lanczos2d_aa_backward_vmap(const VmapInfo& info,
                                                       const Tensor& grad_output,
                                                       SizeList output_size, SizeList input_size,
                                                       bool align_corners, const Scale& scales_h,
                                                       const Scale& scales_w) {
  return map_batched_planes(info, grad_output, [&](const Tensor& grads) {
    return _upsample_lanczos2d_aa_backward(grads, output_size, folded_sizes(info, input_size),
                                           align_corners, scales_h, scales_w);
  });
}

}  // namespace opwright
