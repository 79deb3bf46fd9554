// vmap rules of losses: compute all elementwise losses at once, then reduce per sample.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr auto kSum = static_cast<int64_t>(LossReduction::Sum);

Tensor reduce_samples(const char* who, const Tensor& losses, int64_t reduction) {
  const LossReduction wanted = loss_reduction(who, reduction);
  if (wanted == LossReduction::None || losses.dim() == 1) return losses;
  const std::vector<int64_t> dims = sample_dims(losses);
  return wanted == LossReduction::Mean ? mean(losses, dims) : sum(losses, dims);
}

// compute(self, target) is elementwise.
template <class Compute>
VmapResult<Tensor> map_loss(const VmapInfo& info, const char* who, const Tensor& self,
                            const Tensor& target, int64_t reduction, const Compute& compute) {
  const auto batches = aligned(info, {self, target});
  return batched(reduce_samples(who, compute(batches[0], batches[1]), reduction));
}

// compute(grad, self, target) is elementwise: a mean divides its gradient among the elements.
template <class Compute>
Tensor loss_gradient(const VmapInfo& info, const char* who, const Tensor& grad_output,
                     const Tensor& self, const Tensor& target, int64_t reduction,
                     const Compute& compute) {
  const auto batches = aligned(info, {grad_output, self, target});
  const bool is_mean = loss_reduction(who, reduction) == LossReduction::Mean;
  const SymInt count =
      is_batched(info, 1) ? product(sample_sizes(batch_first(info, 1, self))) : self.sym_numel();
  return compute(is_mean ? batches[0].div(Scalar(count)) : batches[0], batches[1], batches[2]);
}

}  // namespace

VmapResult<Tensor> mse_loss_vmap(const VmapInfo& info, const Tensor& self, const Tensor& target,
                                 int64_t reduction) {
  return map_loss(info, "mse_loss", self, target, reduction, [](const Tensor& x, const Tensor& t) {
    return mse_loss(x, t, kNoLossReduction);
  });
}
VmapResult<Tensor> smooth_l1_loss_vmap(const VmapInfo& info, const Tensor& self,
                                       const Tensor& target, int64_t reduction, double beta) {
  return map_loss(info, "smooth_l1_loss", self, target, reduction,
                  [&](const Tensor& x, const Tensor& t) {
                    return smooth_l1_loss(x, t, kNoLossReduction, beta);
                  });
}
VmapResult<Tensor> huber_loss_vmap(const VmapInfo& info, const Tensor& self, const Tensor& target,
                                   int64_t reduction, double delta) {
  return map_loss(
      info, "huber_loss", self, target, reduction,
      [&](const Tensor& x, const Tensor& t) { return huber_loss(x, t, kNoLossReduction, delta); });
}
VmapResult<Tensor> binary_cross_entropy_vmap(const VmapInfo& info, const Tensor& self,
                                             const Tensor& target,
                                             const std::optional<Tensor>& weight,
                                             int64_t reduction) {
  const Tensor batch = as_batch(info, 0, self);
  std::optional<Tensor> weights = as_batch(info, 2, weight);
  if (weights) weights = with_sample_ndim(*weights, batch.dim() - 1);
  const Tensor losses =
      binary_cross_entropy(batch, as_batch(info, 1, target), weights, kNoLossReduction);
  return batched(reduce_samples("binary_cross_entropy", losses, reduction));
}

namespace {

Tensor mse_gradient(const VmapInfo& info, const Tensor& grad_output, const Tensor& self,
                    const Tensor& target, int64_t reduction) {
  return loss_gradient(info, "mse_loss_backward", grad_output, self, target, reduction,
                       [](const Tensor& g, const Tensor& x, const Tensor& t) {
                         return mse_loss_backward(g, x, t, kSum);
                       });
}
Tensor smooth_l1_gradient(const VmapInfo& info, const Tensor& grad_output, const Tensor& self,
                          const Tensor& target, int64_t reduction, double beta) {
  return loss_gradient(info, "smooth_l1_loss_backward", grad_output, self, target, reduction,
                       [&](const Tensor& g, const Tensor& x, const Tensor& t) {
                         return smooth_l1_loss_backward(g, x, t, kSum, beta);
                       });
}

}  // namespace

VmapResult<Tensor> mse_loss_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                          const Tensor& self, const Tensor& target,
                                          int64_t reduction) {
  return batched(mse_gradient(info, grad_output, self, target, reduction));
}
VmapResult<Tensor&> mse_loss_backward_out_vmap(const VmapInfo& info, const Tensor& grad_output,
                                               const Tensor& self, const Tensor& target,
                                               int64_t reduction, Tensor& grad_input) {
  const Tensor result = mse_gradient(info, grad_output, self, target, reduction);
  return {write_out(info, 4, grad_input, as_batch_of(info, 3, result)), {info.in_dims[4]}};
}
VmapResult<Tensor> smooth_l1_loss_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                const Tensor& self, const Tensor& target,
                                                int64_t reduction, double beta) {
  return batched(smooth_l1_gradient(info, grad_output, self, target, reduction, beta));
}
VmapResult<Tensor&> smooth_l1_loss_backward_out_vmap(const VmapInfo& info,
                                                     const Tensor& grad_output, const Tensor& self,
                                                     const Tensor& target, int64_t reduction,
                                                     double beta, Tensor& grad_input) {
  const Tensor result = smooth_l1_gradient(info, grad_output, self, target, reduction, beta);
  return {write_out(info, 5, grad_input, as_batch_of(info, 3, result)), {info.in_dims[5]}};
}
VmapResult<Tensor> huber_loss_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, const Tensor& target,
                                            int64_t reduction, double delta) {
  return batched(loss_gradient(info, "huber_loss_backward", grad_output, self, target, reduction,
                               [&](const Tensor& g, const Tensor& x, const Tensor& t) {
                                 return huber_loss_backward(g, x, t, kSum, delta);
                               }));
}
VmapResult<Tensor> binary_cross_entropy_backward_vmap(const VmapInfo& info,
                                                      const Tensor& grad_output, const Tensor& self,
                                                      const Tensor& target,
                                                      const std::optional<Tensor>& weight,
                                                      int64_t reduction) {
  std::optional<Tensor> weights = as_batch(info, 3, weight);
  return batched(loss_gradient(info, "binary_cross_entropy_backward", grad_output, self, target,
                               reduction, [&](const Tensor& g, const Tensor& x, const Tensor& t) {
                                 if (weights)
                                   weights =
                                       with_sample_ndim(*weights, std::max(x.dim(), t.dim()) - 1);
                                 return binary_cross_entropy_backward(g, x, t, weights, kSum);
                               }));
}

}  // namespace opwright
