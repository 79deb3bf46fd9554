// Losses that compare self with a target element by element: mse_loss, smooth_l1_loss, huber_loss,
// binary_cross_entropy.
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/pointwise/pointwise_apply.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/symbolic/shape_env/demand.h"

namespace opwright {

const PointwiseOp& squared_error_op();
const PointwiseOp& smooth_l1_op();
const PointwiseOp& huber_op();
const PointwiseOp& binary_cross_entropy_op();
const PointwiseOp& binary_cross_entropy_backward_op();

namespace {

template <class AnyTensor>
AnyTensor compute_loss(const char* who, const PointwiseOp& op, const AnyTensor& self,
                       const AnyTensor& target, int64_t reduction,
                       std::initializer_list<Scalar> numbers = {}) {
  const LossReduction wanted = loss_reduction(who, reduction);
  return reduce_loss(apply_pointwise(who, op, {&self, &target}, numbers), wanted);
}

template <class AnyTensor>
AnyTensor smooth_l1(const AnyTensor& self, const AnyTensor& target, int64_t reduction,
                    double beta) {
  constexpr const char* kWho = "smooth_l1_loss";
  OPWRIGHT_CHECK(beta >= 0, kWho, ": beta must not be negative, got ", beta);
  return compute_loss(kWho, smooth_l1_op(), self, target, reduction, {beta});
}

template <class AnyTensor>
AnyTensor huber(const AnyTensor& self, const AnyTensor& target, int64_t reduction, double delta) {
  constexpr const char* kWho = "huber_loss";
  OPWRIGHT_CHECK(delta > 0, kWho, ": delta must be positive, got ", delta);
  return compute_loss(kWho, huber_op(), self, target, reduction, {delta});
}

template <class AnyTensor>
void check_same_sizes(const char* who, const AnyTensor& self, const AnyTensor& target) {
  demand(have_same_sizes(self.sizes(), target.sizes()), "ValueError", [&] {
    return concatenate(who, ": target (", target, ") must have the sizes of self (", self, ")");
  });
}

template <class AnyTensor>
AnyTensor weigh_elements(const AnyTensor& values, const std::optional<AnyTensor>& weight) {
  return weight ? values.mul(*weight) : values;
}

void check_between_zero_and_one(const char* who, const Tensor& self) {
  if (self.numel() == 0) return;
  const double smallest = self.min().item().to<double>();
  const double largest = self.max().item().to<double>();
  OPWRIGHT_CHECK(smallest >= 0 && largest <= 1, who,
                 ": all elements of self must lie between 0 and 1, got elements from ", smallest,
                 " to ", largest, "; give it probabilities, e.g. of sigmoid");
}

template <class AnyTensor>
AnyTensor binary_cross_entropy_of(const AnyTensor& self, const AnyTensor& target,
                                  const std::optional<AnyTensor>& weight, int64_t reduction) {
  constexpr const char* kWho = "binary_cross_entropy";
  const LossReduction wanted = loss_reduction(kWho, reduction);
  check_same_sizes(kWho, self, target);
  return reduce_loss(
      weigh_elements(apply_pointwise(kWho, binary_cross_entropy_op(), {&self, &target}), weight),
      wanted);
}

template <class AnyTensor>
AnyTensor binary_cross_entropy_gradient(const AnyTensor& grad_output, const AnyTensor& self,
                                        const AnyTensor& target,
                                        const std::optional<AnyTensor>& weight, int64_t reduction) {
  constexpr const char* kWho = "binary_cross_entropy_backward";
  (void)loss_reduction(kWho, reduction);
  return weigh_elements(
      apply_pointwise(kWho, binary_cross_entropy_backward_op(), {&self, &target, &grad_output}),
      weight);
}

}  // namespace

Tensor mse_loss_cpu(const Tensor& self, const Tensor& target, int64_t reduction) {
  return compute_loss("mse_loss", squared_error_op(), self, target, reduction);
}
FakeTensor mse_loss_fake(const FakeTensor& self, const FakeTensor& target, int64_t reduction) {
  return compute_loss("mse_loss", squared_error_op(), self, target, reduction);
}

Tensor smooth_l1_loss_cpu(const Tensor& self, const Tensor& target, int64_t reduction,
                          double beta) {
  return smooth_l1(self, target, reduction, beta);
}
FakeTensor smooth_l1_loss_fake(const FakeTensor& self, const FakeTensor& target, int64_t reduction,
                               double beta) {
  return smooth_l1(self, target, reduction, beta);
}

Tensor huber_loss_cpu(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  return huber(self, target, reduction, delta);
}
FakeTensor huber_loss_fake(const FakeTensor& self, const FakeTensor& target, int64_t reduction,
                           double delta) {
  return huber(self, target, reduction, delta);
}

Tensor binary_cross_entropy_cpu(const Tensor& self, const Tensor& target,
                                const std::optional<Tensor>& weight, int64_t reduction) {
  check_between_zero_and_one("binary_cross_entropy", self);
  return binary_cross_entropy_of(self, target, weight, reduction);
}
FakeTensor binary_cross_entropy_fake(const FakeTensor& self, const FakeTensor& target,
                                     const std::optional<FakeTensor>& weight, int64_t reduction) {
  return binary_cross_entropy_of(self, target, weight, reduction);
}

Tensor binary_cross_entropy_backward_cpu(const Tensor& grad_output, const Tensor& self,
                                         const Tensor& target, const std::optional<Tensor>& weight,
                                         int64_t reduction) {
  Tensor gradient = binary_cross_entropy_gradient(grad_output, self, target, weight, reduction);
  if (static_cast<LossReduction>(reduction) != LossReduction::Mean) return gradient;
  return gradient.div(Scalar(self.numel()));
}
FakeTensor binary_cross_entropy_backward_fake(const FakeTensor& grad_output, const FakeTensor& self,
                                              const FakeTensor& target,
                                              const std::optional<FakeTensor>& weight,
                                              int64_t reduction) {
  return binary_cross_entropy_gradient(grad_output, self, target, weight, reduction);
}

}  // namespace opwright
