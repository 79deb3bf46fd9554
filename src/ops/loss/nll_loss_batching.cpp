// vmap rules of nll_loss: the scores of all samples form one batch; each score has its own loss.
#include <cstdint>
#include <optional>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Losses = std::tuple<Tensor, Tensor>;

// The arguments of all samples, with the schema positions of `self` and `target`.
struct NllBatch {
  NllBatch(const VmapInfo& told, size_t self_at, const Tensor& self, const Tensor& target,
           const std::optional<Tensor>& weight, const SymInt& ignored)
      : info(told) {
    const Tensor batch = as_batch(info, self_at, self);
    is_vector = batch.dim() == 2;  // a sample is one vector of scores
    Tensor classes = as_batch(info, self_at + 1, target);
    if (is_vector) classes = classes.reshape({info.batch_size});
    sizes = sym_geometry_of(classes).sizes;
    scores = is_vector ? batch : fold_batch(batch, 0);
    targets = is_vector ? classes : fold_batch(classes, 0);
    const Tensor is_ignored = classes.eq(Scalar(ignored));
    has_weights = weight && weight->is_defined();
    if (has_weights) {
      const Tensor known = _to_copy(as_rows(classes.masked_fill(is_ignored, 0)), DType::Int64);
      weights = gather(as_batch(info, self_at + 2, *weight), 1, known).reshape(sizes);
      weights = weights.masked_fill(is_ignored, 0);
    } else {
      weights = _to_copy(is_ignored.logical_not(), self.dtype());
    }
  }

  // Whether the result has the loss of each element.
  [[nodiscard]] bool gives_each(LossReduction reduction) const {
    return reduction == LossReduction::None && !is_vector;
  }
  [[nodiscard]] Tensor sum_of_samples(const Tensor& values) const {
    return values.dim() == 1 ? values : sum(values, sample_dims(values));
  }

  const VmapInfo& info;
  bool is_vector = false;
  bool has_weights = false;
  SymSizes sizes;  // of the losses of all samples
  Tensor scores;
  Tensor targets;
  Tensor weights;  // per loss; 0 where it is ignored
  std::optional<Tensor> no_weights;
};

template <class Compute>
VmapResult<Losses> map_losses(const NllBatch& batch, const char* who, int64_t reduction,
                              const Compute& compute) {
  const LossReduction wanted = loss_reduction(who, reduction);
  Tensor losses = std::get<0>(compute()).reshape(batch.sizes);
  if (batch.has_weights) losses = losses.mul(batch.weights);
  if (batch.gives_each(wanted))
    return batched(Losses(losses, losses.new_zeros({batch.info.batch_size})));
  const Tensor total = batch.sum_of_samples(batch.weights);
  const Tensor sum = batch.sum_of_samples(losses);
  return batched(Losses(wanted == LossReduction::Mean ? sum.div(total) : sum, total));
}

// The share of grad_output for each loss, in the order of the scores.
Tensor shared_gradient(const NllBatch& batch, const char* who, const Tensor& grad_output,
                       int64_t reduction, const Tensor& total_weight) {
  const LossReduction wanted = loss_reduction(who, reduction);
  Tensor shares = as_batch(batch.info, 0, grad_output);
  if (!batch.gives_each(wanted)) {
    shares = shares.reshape({batch.info.batch_size});
    if (wanted == LossReduction::Mean)
      shares = shares.div(as_batch(batch.info, 6, total_weight).reshape({batch.info.batch_size}));
    while (shares.dim() < static_cast<int64_t>(batch.sizes.size())) shares = shares.unsqueeze(-1);
    shares = shares.expand(batch.sizes);
  }
  if (batch.has_weights) shares = shares.mul(batch.weights);
  return batch.is_vector ? shares : fold_batch(shares, 0);
}

VmapResult<Tensor> unfolded(const NllBatch& batch, const Tensor& gradient) {
  return batched(batch.is_vector ? gradient : unfold_batch(gradient, 0, batch.info.batch_size));
}

}  // namespace

VmapResult<Losses> nll_loss_forward_vmap(const VmapInfo& info, const Tensor& self,
                                         const Tensor& target, const std::optional<Tensor>& weight,
                                         int64_t reduction, const SymInt& ignore_index) {
  const NllBatch batch(info, 0, self, target, weight, ignore_index);
  return map_losses(batch, "nll_loss_forward", reduction, [&] {
    return nll_loss_forward(batch.scores, batch.targets, batch.no_weights, kNoLossReduction,
                            ignore_index);
  });
}
VmapResult<Losses> nll_loss2d_forward_vmap(const VmapInfo& info, const Tensor& self,
                                           const Tensor& target,
                                           const std::optional<Tensor>& weight, int64_t reduction,
                                           const SymInt& ignore_index) {
  const NllBatch batch(info, 0, self, target, weight, ignore_index);
  return map_losses(batch, "nll_loss2d_forward", reduction, [&] {
    return nll_loss2d_forward(batch.scores, batch.targets, batch.no_weights, kNoLossReduction,
                              ignore_index);
  });
}
VmapResult<Tensor> nll_loss_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                          const Tensor& self, const Tensor& target,
                                          const std::optional<Tensor>& weight, int64_t reduction,
                                          const SymInt& ignore_index, const Tensor& total_weight) {
  const NllBatch batch(info, 1, self, target, weight, ignore_index);
  const Tensor shares =
      shared_gradient(batch, "nll_loss_backward", grad_output, reduction, total_weight);
  return unfolded(
      batch, nll_loss_backward(shares, batch.scores, batch.targets, batch.no_weights,
                               kNoLossReduction, ignore_index, shares.new_zeros(SymIntList())));
}
VmapResult<Tensor> nll_loss2d_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                            const Tensor& self, const Tensor& target,
                                            const std::optional<Tensor>& weight, int64_t reduction,
                                            const SymInt& ignore_index,
                                            const Tensor& total_weight) {
  const NllBatch batch(info, 1, self, target, weight, ignore_index);
  const Tensor shares =
      shared_gradient(batch, "nll_loss2d_backward", grad_output, reduction, total_weight);
  return unfolded(
      batch, nll_loss2d_backward(shares, batch.scores, batch.targets, batch.no_weights,
                                 kNoLossReduction, ignore_index, shares.new_zeros(SymIntList())));
}

}  // namespace opwright
