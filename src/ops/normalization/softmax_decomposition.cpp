// Decompositions of softmax and its gradient.
#include "opwright/ops/rule/decomposition.h"

namespace opwright {
namespace {

// The dimension is empty, so there is no maximum.
bool is_empty_along(const Tensor& self, int64_t dim) {
  if (self.dim() == 0) return false;
  const SymInt size = self.sym_size(dim);
  return !size.is_symbolic() && size.specialise() == 0;
}

// Subtracts the maximum of each line, so that no exponential overflows.
Tensor lowered(const Tensor& wide, int64_t dim) { return wide.sub(wide.amax({dim}, true)); }

DType softmax_dtype(const Tensor& self, bool half_to_float) {
  return half_to_float ? kernel_dtype(self.dtype()) : self.dtype();
}

}  // namespace

Tensor softmax_decomposition(const Tensor& self, int64_t dim, bool half_to_float) {
  const DType dtype = softmax_dtype(self, half_to_float);
  if (is_empty_along(self, dim)) return clone(in_dtype(self, dtype), MemoryFormat::Contiguous);
  const Tensor powers = lowered(widened(dense(self)), dim).exp();
  return in_dtype(powers.mul(powers.sum({dim}, true).reciprocal()), dtype);
}

Tensor log_softmax_decomposition(const Tensor& self, int64_t dim, bool half_to_float) {
  const DType dtype = softmax_dtype(self, half_to_float);
  if (is_empty_along(self, dim)) return clone(in_dtype(self, dtype), MemoryFormat::Contiguous);
  const Tensor low = lowered(widened(dense(self)), dim);
  return in_dtype(low.sub(low.exp().sum({dim}, true).log()), dtype);
}

Tensor softmax_backward_decomposition(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                      DType input_dtype) {
  const Tensor gradient = widened(dense(grad_output));
  const Tensor shares = widened(dense(output));
  return in_dtype(gradient.sub(gradient.mul(shares).sum({dim}, true)).mul(shares), input_dtype);
}

Tensor log_softmax_backward_decomposition(const Tensor& grad_output, const Tensor& output,
                                          int64_t dim, DType input_dtype) {
  const Tensor gradient = widened(dense(grad_output));
  const Tensor shares = widened(dense(output)).exp();
  return in_dtype(gradient.sub(shares.mul(gradient.sum({dim}, true))), input_dtype);
}

}  // namespace opwright
