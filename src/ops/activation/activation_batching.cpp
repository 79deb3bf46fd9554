// vmap rules of activations that are not pointwise operations themselves.
#include <cstdint>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {

VmapResult<std::tuple<Tensor, Tensor>> log_sigmoid_forward_vmap(const VmapInfo& info,
                                                                const Tensor& self) {
  return {log_sigmoid_forward(self), {info.in_dims[0], info.in_dims[0]}};
}
VmapResult<Tensor&> celu_in_place_vmap(const VmapInfo& info, Tensor& self, const Scalar& alpha) {
  celu_(self, alpha);
  return {self, {info.in_dims[0]}};
}
VmapResult<std::tuple<Tensor, Tensor>> prelu_kernel_backward_vmap(const VmapInfo& info,
                                                                  const Tensor& grad_output,
                                                                  const Tensor& self,
                                                                  const Tensor& weight) {
  const auto batches = aligned(info, {grad_output, self, weight});
  return batched(_prelu_kernel_backward(batches[0], batches[1], batches[2]));
}
VmapResult<Tensor> glu_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(batch.dim() > 1, "glu: self has zero dimensions, so none can be halved");
  return batched(glu(batch, shifted_dim(batch, dim, "glu")));
}
VmapResult<Tensor> glu_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                     const Tensor& self, int64_t dim) {
  const Tensor batch = as_batch(info, 1, self);
  OPWRIGHT_CHECK(batch.dim() > 1, "glu_backward: self has zero dimensions, so none can be halved");
  return batched(
      glu_backward(as_batch(info, 0, grad_output), batch, shifted_dim(batch, dim, "glu_backward")));
}

}  // namespace opwright
