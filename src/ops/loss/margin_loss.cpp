// Losses with a margin between classes or distances, and poisson_nll_loss, as composites.
#include <numbers>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/loss/loss_reduction.h"

namespace opwright {
namespace {

constexpr const char* kMultiMargin = "multi_margin_loss";

void check_multi_margin(const Tensor& self, const Tensor& target, const Scalar& p,
                        const std::optional<Tensor>& weight) {
  const double power = p.to<double>();
  OPWRIGHT_CHECK(power == 1 || power == 2, kMultiMargin, ": p must be 1 or 2, got ", power);
  OPWRIGHT_CHECK_TYPE(is_floating(self.dtype()), kMultiMargin, ": self must be floating, got ",
                      self);
  OPWRIGHT_CHECK_TYPE(target.dtype() == DType::Int64, kMultiMargin,
                      ": target must hold classes of int64, got ", target);
  OPWRIGHT_CHECK(self.dim() <= 2, kMultiMargin,
                 ": self must be [classes] or [batch, classes], got ", self);
  OPWRIGHT_CHECK(target.dim() <= 1, kMultiMargin, ": target must be [] or [batch], got ", target);
  OPWRIGHT_CHECK(!weight || weight->dim() == 1, kMultiMargin,
                 ": weight must hold one number for each class, got ", *weight);
}

}  // namespace

Tensor multi_margin_loss_composite(const Tensor& self, const Tensor& target, const Scalar& p,
                                   const Scalar& margin, const std::optional<Tensor>& weight,
                                   int64_t reduction) {
  const LossReduction wanted = loss_reduction(kMultiMargin, reduction);
  check_multi_margin(self, target, p, weight);
  const bool is_batch = self.dim() == 2;
  const Tensor scores = is_batch ? self : self.reshape({1, -1});
  const Tensor classes = target.reshape({-1});
  check(classes.sym_size(0) == scores.sym_size(0),
        concatenate(kMultiMargin, ": target must hold a class for each row of self (", self,
                    "), got ", target));
  check(scores.sym_size(1) > 0,
        concatenate(kMultiMargin, ": self must have at least one class, got ", self));
  const Tensor chosen = classes.unsqueeze(1);
  Tensor violations = scores.sub(gather(scores, 1, chosen)).add(margin).clamp(Scalar(0));
  if (p.to<double>() == 2) violations = violations.mul(violations);
  if (weight) violations = violations.mul(weight->index_select(0, classes).unsqueeze(1));
  // The class itself does not count.
  const Tensor losses =
      violations.scatter(1, chosen, Scalar(0)).sum({1}).div(Scalar(scores.sym_size(1)));
  return reduce_loss(target.dim() == 1 ? losses : losses.squeeze(0), wanted);
}

Tensor triplet_margin_loss_composite(const Tensor& anchor, const Tensor& positive,
                                     const Tensor& negative, double margin, double p, double eps,
                                     bool swap, int64_t reduction) {
  constexpr const char* kWho = "triplet_margin_loss";
  const LossReduction wanted = loss_reduction(kWho, reduction);
  OPWRIGHT_CHECK(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(), kWho,
                 ": anchor, positive and negative must have the same number of dimensions, got ",
                 anchor, ", ", positive, " and ", negative);
  OPWRIGHT_CHECK(margin > 0, kWho, ": margin must be positive, got ", margin);
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduce_loss(near.sub(far).add(margin).clamp(Scalar(0)), wanted);
}

Tensor poisson_nll_loss_composite(const Tensor& input, const Tensor& target, bool log_input,
                                  bool full, double eps, int64_t reduction) {
  const LossReduction wanted = loss_reduction("poisson_nll_loss", reduction);
  Tensor losses =
      log_input ? input.exp().sub(target.mul(input)) : input.sub(target.mul(input.add(eps).log()));
  if (full) {
    // Stirling's approximation of log(target!), for targets above 1.
    const Tensor factorial =
        target.mul(target.log()).sub(target).add(target.mul(2 * std::numbers::pi).log().mul(0.5));
    losses = losses.add(where(target.gt(1), factorial, Scalar(0)));
  }
  return reduce_loss(losses, wanted);
}

}  // namespace opwright
