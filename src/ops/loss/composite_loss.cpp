// Losses as composites of other operators.
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/loss/loss_reduction.h"

namespace opwright {
namespace {

Tensor at_least_zero(const Tensor& values) { return values.clamp(Scalar(0)); }

}  // namespace

Tensor l1_loss_composite(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_loss(self.sub(target).abs(), loss_reduction("l1_loss", reduction));
}

Tensor binary_cross_entropy_with_logits_composite(const Tensor& self, const Tensor& target,
                                                  const std::optional<Tensor>& weight,
                                                  const std::optional<Tensor>& pos_weight,
                                                  int64_t reduction) {
  const LossReduction wanted = loss_reduction("binary_cross_entropy_with_logits", reduction);
  Tensor chosen = log_sigmoid(self);
  if (pos_weight) chosen = chosen.mul(pos_weight->sub(1).mul(target).add(1));
  const Tensor losses = rsub(target, 1).mul(self).sub(chosen);
  return reduce_loss(weight ? losses.mul(*weight) : losses, wanted);
}

Tensor kl_div_composite(const Tensor& self, const Tensor& target, int64_t reduction,
                        bool log_target) {
  const LossReduction wanted = loss_reduction("kl_div", reduction);
  OPWRIGHT_CHECK_TYPE(!is_complex(self.dtype()) && !is_complex(target.dtype()),
                      "kl_div: complex numbers have no divergence, got self of ", self.dtype(),
                      " and target of ", target.dtype());
  OPWRIGHT_CHECK_TYPE(is_floating(self.dtype()) && is_floating(target.dtype()),
                      "kl_div: self and target must be floating, got ", self.dtype(), " and ",
                      target.dtype());
  if (log_target) return reduce_loss(target.exp().mul(target.sub(self)), wanted);
  return reduce_loss(xlogy(target, target).sub(target.mul(self)), wanted);
}

Tensor soft_margin_loss_composite(const Tensor& self, const Tensor& target, int64_t reduction) {
  return reduce_loss(self.mul(target).neg().exp().log1p(),
                     loss_reduction("soft_margin_loss", reduction));
}

Tensor margin_ranking_loss_composite(const Tensor& input1, const Tensor& input2,
                                     const Tensor& target, double margin, int64_t reduction) {
  const LossReduction wanted = loss_reduction("margin_ranking_loss", reduction);
  return reduce_loss(at_least_zero(target.neg().mul(input1.sub(input2)).add(margin)), wanted);
}

Tensor hinge_embedding_loss_composite(const Tensor& self, const Tensor& target, double margin,
                                      int64_t reduction) {
  const LossReduction wanted = loss_reduction("hinge_embedding_loss", reduction);
  const Tensor of_others =
      where(target.ne(1), at_least_zero(full_like(self, margin).sub(self)), Scalar(0));
  const Tensor of_pairs = where(target.ne(-1), self, Scalar(0));
  return reduce_loss(of_others.add(of_pairs), wanted);
}

Tensor cosine_embedding_loss_composite(const Tensor& input1, const Tensor& input2,
                                       const Tensor& target, double margin, int64_t reduction) {
  const LossReduction wanted = loss_reduction("cosine_embedding_loss", reduction);
  OPWRIGHT_CHECK(target.dim() == 0 || target.dim() == 1,
                 "cosine_embedding_loss: target must have zero or one dimension, got ", target);
  OPWRIGHT_CHECK(input1.dim() == target.dim() + 1 && input2.dim() == target.dim() + 1,
                 "cosine_embedding_loss: input1 and input2 must have one dimension more than "
                 "target, got ",
                 input1, " and ", input2, " with ", target);
  constexpr double kEpsilon = 1e-12;
  const int64_t dim = target.dim();
  const auto sum_of = [dim](const Tensor& values) { return values.sum({dim}); };
  const Tensor sizes =
      sum_of(input1.mul(input1)).add(kEpsilon).mul(sum_of(input2.mul(input2)).add(kEpsilon)).sqrt();
  const Tensor cosine = sum_of(input1.mul(input2)).div(sizes);
  const Tensor of_pairs = where(target.eq(1), rsub(cosine, 1), Scalar(0));
  const Tensor of_others = where(target.eq(-1), at_least_zero(cosine.sub(margin)), Scalar(0));
  return reduce_loss(of_pairs.add(of_others), wanted);
}

}  // namespace opwright
