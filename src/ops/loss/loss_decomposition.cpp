// Decompositions of elementwise losses and their gradients.
#include <optional>

#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/loss/loss_reduction.h"
#include "opwright/ops/rule/decomposition.h"

namespace opwright {
namespace {

// Self minus target, in the compute dtype.
struct Difference {
  DType dtype;  // the promoted dtype
  Tensor value;

  Difference(const Tensor& self, const Tensor& target)
      : dtype(result_dtype(self, target)), value(met(self).sub(met(target))) {}
  [[nodiscard]] Tensor met(const Tensor& tensor) const { return widened(in_dtype(tensor, dtype)); }
};

Tensor reduced(const char* who, const Tensor& losses, const Difference& difference,
               int64_t reduction) {
  return reduce_loss(in_dtype(losses, difference.dtype), loss_reduction(who, reduction));
}

// An element's share of the loss gradient, in the dtype of the loss.
Tensor share(const char* who, const Tensor& slopes, const Difference& difference,
             const Tensor& grad_output, const Tensor& self, int64_t reduction) {
  Tensor shared = slopes;
  if (loss_reduction(who, reduction) == LossReduction::Mean)
    shared = shared.div(Scalar(self.sym_numel()));
  // The strides of the first operand decide, as in the kernel.
  return in_dtype(difference.met(grad_output).mul(shared), difference.dtype);
}

// `bound` beyond `bend`, and `within` up to it.
Tensor bounded(const Tensor& difference, const Tensor& within, double bend, double bound) {
  const Tensor not_above = where(difference.ge(bend), Scalar(bound), within);
  return where(difference.le(-bend), Scalar(-bound), not_above);
}

}  // namespace

Tensor mse_loss_decomposition(const Tensor& self, const Tensor& target, int64_t reduction) {
  const Difference difference(self, target);
  return reduced("mse_loss", difference.value.mul(difference.value), difference, reduction);
}
Tensor smooth_l1_loss_decomposition(const Tensor& self, const Tensor& target, int64_t reduction,
                                    double beta) {
  const Difference difference(self, target);
  const Tensor distance = difference.value.abs();
  const Tensor near = distance.mul(0.5).mul(distance).div(beta);
  return reduced("smooth_l1_loss", where(distance.lt(beta), near, distance.sub(0.5 * beta)),
                 difference, reduction);
}
Tensor huber_loss_decomposition(const Tensor& self, const Tensor& target, int64_t reduction,
                                double delta) {
  const Difference difference(self, target);
  const Tensor distance = difference.value.abs();
  const Tensor near = distance.mul(0.5).mul(distance);
  const Tensor far = distance.sub(0.5 * delta).mul(delta);
  return reduced("huber_loss", where(distance.le(delta), near, far), difference, reduction);
}

Tensor mse_loss_backward_decomposition(const Tensor& grad_output, const Tensor& self,
                                       const Tensor& target, int64_t reduction) {
  const Difference difference(self, target);
  return share("mse_loss_backward", difference.value.mul(2), difference, grad_output, self,
               reduction);
}
Tensor smooth_l1_loss_backward_decomposition(const Tensor& grad_output, const Tensor& self,
                                             const Tensor& target, int64_t reduction, double beta) {
  const Difference difference(self, target);
  const Tensor slopes = bounded(difference.value, difference.value.div(beta), beta, 1);
  return share("smooth_l1_loss_backward", slopes, difference, grad_output, self, reduction);
}
Tensor huber_loss_backward_decomposition(const Tensor& grad_output, const Tensor& self,
                                         const Tensor& target, int64_t reduction, double delta) {
  const Difference difference(self, target);
  const Tensor slopes = bounded(difference.value, difference.value, delta, delta);
  return dense(share("huber_loss_backward", slopes, difference, grad_output, self, reduction));
}

Tensor binary_cross_entropy_backward_decomposition(const Tensor& grad_output, const Tensor& self,
                                                   const Tensor& target,
                                                   const std::optional<Tensor>& weight,
                                                   int64_t reduction) {
  const Difference difference(self, target);
  const Tensor x = difference.met(self);
  const Tensor product = x.neg().add(1).mul(x);
  const Tensor divided =
      difference.value.mul(difference.met(grad_output)).div(product.clamp(Scalar(1e-12)));
  Tensor gradient = in_dtype(divided, difference.dtype);
  if (weight) gradient = gradient.mul(*weight);
  if (loss_reduction("binary_cross_entropy_backward", reduction) != LossReduction::Mean)
    return gradient;
  return gradient.div(Scalar(self.sym_numel()));
}

}  // namespace opwright
