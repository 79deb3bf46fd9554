#include "opwright/ops/loss/loss_gradients.h"

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/ops/view/view_gradients.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr double kSmallest = 1e-12;  // the lower bound of binary_cross_entropy_backward's divisor

bool is_mean(int64_t reduction) {
  return static_cast<LossReduction>(reduction) == LossReduction::Mean;
}

Tensor divide_for_mean(const Tensor& values, const Tensor& counted, int64_t reduction) {
  return is_mean(reduction) ? values.div(Scalar(counted.sym_numel())) : values;
}

Tensor weigh(const Tensor& values, const std::optional<Tensor>& weight) {
  return weight ? values.mul(*weight) : values;
}

// grad * grad_output where the distance is below `bend`.
Tensor keep_near(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                 const Tensor& target, double bend) {
  return where(self.sub(target).abs().lt(bend), grad.mul(grad_output), Scalar(0));
}

// self * (1 - self), with the lower bound that the backward uses.
Tensor spread_of(const Tensor& self) { return rsub(self, 1).mul(self).clamp(Scalar(kSmallest)); }

}  // namespace

Tensor mse_loss_curvature(const Tensor& grad, const Tensor& grad_output, int64_t reduction) {
  return divide_for_mean(grad.mul(grad_output).mul(2), grad, reduction);
}

Tensor smooth_l1_loss_curvature(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                                const Tensor& target, int64_t reduction, double beta) {
  const Tensor near = keep_near(grad, grad_output, self, target, beta);
  return divide_for_mean(beta == 0 ? near : near.div(beta), grad, reduction);
}

Tensor huber_loss_curvature(const Tensor& grad, const Tensor& grad_output, const Tensor& self,
                            const Tensor& target, int64_t reduction, double delta) {
  return divide_for_mean(keep_near(grad, grad_output, self, target, delta), grad, reduction);
}

Tensor binary_cross_entropy_target_gradient(const Tensor& grad, const Tensor& self,
                                            const std::optional<Tensor>& weight,
                                            int64_t reduction) {
  const Tensor slope = self.neg().log1p().sub(self.log());
  return divide_for_mean(weigh(slope.mul(grad), weight), self, reduction);
}

Tensor binary_cross_entropy_weight_gradient(const Tensor& grad, const Tensor& self,
                                            const Tensor& target,
                                            const std::optional<Tensor>& weight,
                                            int64_t reduction) {
  const Tensor losses = binary_cross_entropy(self, target, std::nullopt, 0);
  return sum_to(divide_for_mean(losses.mul(grad), self, reduction), sizes_of(*weight));
}

Tensor binary_cross_entropy_curvature(const Tensor& grad, const Tensor& grad_output,
                                      const Tensor& self, const Tensor& target,
                                      const std::optional<Tensor>& weight, int64_t reduction) {
  const Tensor spread = spread_of(self);
  const Tensor above = self.mul(self).sub(self.mul(target).mul(2)).add(target);
  const Tensor slope = above.div(spread.mul(spread));
  return divide_for_mean(weigh(slope.mul(grad).mul(grad_output), weight), self, reduction);
}

Tensor binary_cross_entropy_backward_target_gradient(const Tensor& grad, const Tensor& grad_output,
                                                     const Tensor& self,
                                                     const std::optional<Tensor>& weight,
                                                     int64_t reduction) {
  const Tensor slope = grad.mul(grad_output).div(spread_of(self)).neg();
  return divide_for_mean(weigh(slope, weight), self, reduction);
}

Tensor expand_with(const Tensor& tensor, const Tensor& other) {
  const SymSizes sizes = broadcast_sizes(sizes_of(tensor), sizes_of(other), "broadcasting");
  return has_sizes(tensor, sizes) ? tensor : tensor.expand(sizes);
}

Tensor refuse_gradient(const Tensor& /*grad*/, const char* who, const char* name) {
  throw_error("NotImplementedError", who, ": the gradient of '", name,
              "' is not implemented; detach it first");
}

}  // namespace opwright
