// vmap rules of softmax and its gradient: the batch stays in front.
#include <cstdint>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

template <class Compute>
VmapResult<Tensor> map_gradient(const VmapInfo& info, const Tensor& grad_output,
                                const Tensor& output, int64_t dim, const char* who,
                                const Compute& compute) {
  const Tensor grads = as_batch(info, 0, grad_output);
  const Tensor lines = at_least_1d(grads);
  const Tensor outputs = at_least_1d(as_batch(info, 1, output));
  return batched(
      as_sample_of(compute(lines, outputs, shifted_dim(lines, dim, who)), grads.dim() - 1));
}

}  // namespace

VmapResult<Tensor> softmax_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                bool half_to_float) {
  return map_along(info, self, dim, "softmax", [&](const Tensor& batch, int64_t along) {
    return _softmax(batch, along, half_to_float);
  });
}
VmapResult<Tensor> log_softmax_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                    bool half_to_float) {
  return map_along(info, self, dim, "log_softmax", [&](const Tensor& batch, int64_t along) {
    return _log_softmax(batch, along, half_to_float);
  });
}
VmapResult<Tensor> softmax_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                         const Tensor& output, int64_t dim, DType input_dtype) {
  return map_gradient(info, grad_output, output, dim, "_softmax_backward_data",
                      [&](const Tensor& grads, const Tensor& outputs, int64_t along) {
                        return _softmax_backward_data(grads, outputs, along, input_dtype);
                      });
}
VmapResult<Tensor> log_softmax_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                             const Tensor& output, int64_t dim, DType input_dtype) {
  return map_gradient(info, grad_output, output, dim, "_log_softmax_backward_data",
                      [&](const Tensor& grads, const Tensor& outputs, int64_t along) {
                        return _log_softmax_backward_data(grads, outputs, along, input_dtype);
                      });
}

}  // namespace opwright
