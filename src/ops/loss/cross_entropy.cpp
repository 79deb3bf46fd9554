// nll_loss, nll_loss2d, nll_loss_nd and cross_entropy_loss.
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// `values` times the weight of their class.
Tensor weigh_classes(const Tensor& values, const std::optional<Tensor>& weight, int64_t class_dim) {
  if (!weight) return values;
  SymSizes sizes(static_cast<size_t>(values.dim()), 1);
  sizes[static_cast<size_t>(class_dim)] = weight->sym_size(0);
  return values.mul(weight->view(sizes));
}

Tensor cross_entropy_of_probabilities(const Tensor& self, const Tensor& target,
                                      const std::optional<Tensor>& weight, LossReduction reduction,
                                      double label_smoothing) {
  constexpr const char* kWho = "cross_entropy_loss";
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  OPWRIGHT_CHECK_TYPE(is_floating(target.dtype()), kWho,
                      ": target of the sizes of self must hold probabilities, got ", target);
  if (weight) {
    OPWRIGHT_DEMAND(
        have_same_sizes(sym_geometry_of(*weight).sizes, SymSizes{self.sym_size(class_dim)}), kWho,
        ": weight (", *weight, ") must hold one number for each class of self (", self, ")");
  }
  const Tensor log_probabilities =
      weigh_classes(log_softmax(self, class_dim, self.dtype()), weight, class_dim);
  Tensor losses = log_probabilities.mul(target).sum({class_dim}).neg();
  if (label_smoothing > 0) {
    const Tensor uniform = log_probabilities.mean({class_dim}).neg();
    losses = losses.mul(1 - label_smoothing).add(uniform.mul(label_smoothing));
  }
  return reduce_loss(losses, reduction);
}

// The loss against equal probabilities for all classes.
Tensor uniform_loss(const Tensor& log_probabilities, const Tensor& target,
                    const std::optional<Tensor>& weight, LossReduction reduction,
                    const SymInt& ignore_index, int64_t class_dim) {
  const Tensor weighted = weigh_classes(log_probabilities, weight, class_dim);
  const Tensor is_kept = target.ne(Scalar(ignore_index.specialise()));
  Tensor losses = where(is_kept, weighted.mean({class_dim}).neg(), Scalar(0));
  if (reduction == LossReduction::None) return losses;
  Tensor total = losses.sum();
  if (reduction == LossReduction::Sum) return total;
  if (!weight) return total.div(is_kept.sum());
  const Tensor classes = where(is_kept, target, Scalar(0)).flatten();
  const Tensor weights = weight->gather(0, classes).mul(is_kept.flatten());
  return total.div(weights.sum());
}

}  // namespace

Tensor nll_loss_composite(const Tensor& self, const Tensor& target,
                          const std::optional<Tensor>& weight, int64_t reduction,
                          const SymInt& ignore_index) {
  return std::get<0>(nll_loss_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss2d_composite(const Tensor& self, const Tensor& target,
                            const std::optional<Tensor>& weight, int64_t reduction,
                            const SymInt& ignore_index) {
  return std::get<0>(nll_loss2d_forward(self, target, weight, reduction, ignore_index));
}

Tensor nll_loss_nd_composite(const Tensor& self, const Tensor& target,
                             const std::optional<Tensor>& weight, int64_t reduction,
                             const SymInt& ignore_index) {
  constexpr const char* kWho = "nll_loss_nd";
  OPWRIGHT_CHECK(self.dim() >= 1, kWho, ": self needs a dimension of classes, got ", self);
  const auto message = [&] {
    return concatenate(kWho, ": self (", self, ") and target (", target,
                       ") must have batches of the same size");
  };
  demand(self.dim() <= 1 || target.dim() > 0, "RuntimeError", message);
  if (self.dim() > 1) demand(self.sym_size(0) == target.sym_size(0), "RuntimeError", message);
  if (self.dim() <= 2) return nll_loss(self, target, weight, reduction, ignore_index);
  if (self.dim() == 4) return nll_loss2d(self, target, weight, reduction, ignore_index);
  SymSizes sizes{self.sym_size(0)};
  for (int64_t i = 2; i < self.dim(); ++i) sizes.push_back(self.sym_size(i));
  OPWRIGHT_DEMAND(have_same_sizes(sym_geometry_of(target).sizes, sizes), kWho,
                  ": target must have sizes ", to_text(sizes), ", got ", target);
  const SymInt places = product(std::span<const SymInt>(sizes).subspan(1));
  const Tensor flat = self.reshape({sizes[0], self.sym_size(1), 1, places});
  const Tensor flat_target = target.reshape({sizes[0], 1, places});
  const Tensor loss = nll_loss2d(flat, flat_target, weight, reduction, ignore_index);
  return reduction == 0 ? loss.view(sizes) : loss;
}

Tensor cross_entropy_loss_composite(const Tensor& self, const Tensor& target,
                                    const std::optional<Tensor>& weight, int64_t reduction,
                                    const SymInt& ignore_index, double label_smoothing) {
  constexpr const char* kWho = "cross_entropy_loss";
  const LossReduction wanted = loss_reduction(kWho, reduction);
  OPWRIGHT_CHECK(label_smoothing >= 0 && label_smoothing <= 1, kWho,
                 ": label_smoothing must lie between 0 and 1, got ", label_smoothing);
  OPWRIGHT_CHECK(self.dim() >= 1, kWho, ": self needs a dimension of classes, got ", self);
  if (has_sizes(target, sym_geometry_of(self).sizes)) {
    OPWRIGHT_CHECK(guard_or_false(ignore_index < 0), kWho,
                   ": ignore_index requires class targets, not probabilities");
    return cross_entropy_of_probabilities(self, target, weight, wanted, label_smoothing);
  }
  const int64_t class_dim = self.dim() == 1 ? 0 : 1;
  const Tensor log_probabilities = log_softmax(self, class_dim, self.dtype());
  Tensor loss = nll_loss_nd(log_probabilities, target, weight, reduction, ignore_index);
  if (label_smoothing == 0) return loss;
  const Tensor smooth =
      uniform_loss(log_probabilities, target, weight, wanted, ignore_index, class_dim);
  return loss.mul(1 - label_smoothing).add(smooth.mul(label_smoothing));
}

}  // namespace opwright
