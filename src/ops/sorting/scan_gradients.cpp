#include "opwright/ops/sorting/scan_gradients.h"

#include <limits>

#include "opwright/base/thread_state.h"
#include "opwright/functions.h"
#include "opwright/ops/gradient_rule.h"

namespace opwright {
namespace {

// For every k the products in which element k is left out, summed from k on: right for derivatives
// of any order, of as many elements as a line has for each of them.
Tensor sum_products_without_each(const Tensor& grad, const Tensor& self, int64_t dim) {
  const Tensor line = self.movedim(dim, -1);
  const SymInt count = line.sym_size(-1);
  const Tensor is_own = ones({count, count}, DType::Bool, {}, self.device()).tril().triu();
  const Tensor others = where(is_own, Scalar(1), line.unsqueeze(-2)).cumprod(-1);
  const Tensor terms = grad.movedim(dim, -1).unsqueeze(-2).mul(conjugate(others));
  return terms.triu().sum({-1}).movedim(-1, dim);
}

// Before the first zero of a line each product is divided by the element; at it the products count
// as if it were one; behind it there is nothing.
Tensor sum_divided_products(const Tensor& grad, const Tensor& self, int64_t dim,
                            const Tensor& result) {
  const Tensor is_zero = self.eq(0);
  const Tensor zeros_so_far = is_zero.cumsum(dim);
  const Tensor is_first_zero = is_zero.logical_and(zeros_so_far.eq(1));
  const Tensor divisor = where(is_zero, Scalar(1), self);
  const Tensor others = where(is_first_zero, Scalar(1), self).cumprod(dim);
  const Tensor before =
      cumsum_from_end(grad.mul(conjugate(result)), dim).div(conjugate(divisor));
  const Tensor at_zero = cumsum_from_end(grad.mul(conjugate(others)), dim);
  return where(zeros_so_far.eq(0), before, where(is_first_zero, at_zero, Scalar(0)));
}

Tensor logcumsumexp_from_end(const Tensor& values, int64_t dim) {
  return values.flip({dim}).logcumsumexp(dim).flip({dim});
}

double lowest(DType dtype) {
  if (dtype == DType::Float64) return std::numeric_limits<double>::lowest();
  return dtype == DType::Float16 ? -65504 : static_cast<double>(std::numeric_limits<float>::lowest());
}

// The sum over what lies behind of positive gradients * exp(self - result), without overflow.
Tensor sum_shares(const Tensor& grad, const Tensor& self, int64_t dim, const Tensor& result) {
  const Tensor is_positive = grad.gt(0);
  const Tensor logarithm =
      where(is_positive, where(is_positive, grad, Scalar(1)).log(), Scalar(lowest(grad.dtype())));
  return logcumsumexp_from_end(logarithm.sub(result), dim).add(self).exp();
}

}  // namespace

Tensor cumsum_from_end(const Tensor& grad, int64_t dim) {
  return grad.dim() == 0 ? grad : grad.flip({dim}).cumsum(dim).flip({dim});
}

Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, int64_t dim,
                        const Tensor& result) {
  if (self.dim() == 0) return grad;
  return thread_state().grad_is_enabled() ? sum_products_without_each(grad, self, dim)
                                          : sum_divided_products(grad, self, dim, result);
}

Tensor logcumsumexp_gradient(const Tensor& grad, const Tensor& self, int64_t dim,
                             const Tensor& result) {
  if (self.dim() == 0) return grad;
  return sum_shares(grad, self, dim, result).sub(sum_shares(grad.neg(), self, dim, result));
}

}  // namespace opwright
