// Decompositions of the activations that have two results or halve a dimension.
#include <tuple>

#include "opwright/ops/rule/decomposition.h"

namespace opwright {

std::tuple<Tensor, Tensor> log_sigmoid_forward_decomposition(const Tensor& self) {
  const Tensor x = widened(dense(self));
  const Tensor power = x.abs().neg().exp();
  const Tensor result = x.clamp(std::nullopt, Scalar(0)).sub(power.log1p());
  return {in_dtype(result, self.dtype()), in_dtype(power, self.dtype())};
}

std::tuple<Tensor, Tensor> prelu_backward_decomposition(const Tensor& grad_output,
                                                        const Tensor& self, const Tensor& weight) {
  const Tensor is_positive = self.gt(0);
  return {where(is_positive, grad_output, weight.mul(grad_output)),
          where(is_positive, Scalar(0), self.mul(grad_output))};
}

Tensor glu_decomposition(const Tensor& self, int64_t dim) {
  const SymInt half = self.sym_size(dim) / 2;
  const Tensor values = slice(self, dim, SymInt(0), half);
  const Tensor gates = slice(self, dim, half, half * 2);
  return in_dtype(widened(values).mul(widened(gates).sigmoid()), self.dtype());
}

}  // namespace opwright
