#include "opwright/ops/reduction/distance_gradients.h"

#include <cmath>

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"
#include "opwright/ops/view/view_gradients.h"

namespace opwright {
namespace {

// grad / distances^power; identical rows have no direction and get 0.
Tensor divide(const Tensor& grad, const Tensor& distances, double power) {
  const Tensor divisor = replace_zeros(distances);
  const Tensor ratio = grad.div(power == 1 ? divisor : divisor.pow(power));
  return where(distances.eq(0), Scalar(0), ratio);
}

// d |difference|^p / p for every element of every pair of rows.
Tensor slopes(const Tensor& difference, const Tensor& distances, double p) {
  Tensor direction = difference.sign();
  if (p == 1) return direction;
  if (std::isinf(p)) {
    const Tensor is_largest = difference.abs().eq(distances.unsqueeze(-1));
    return where(is_largest, direction, Scalar(0));
  }
  return direction.mul(replace_zeros(difference.abs()).pow(p - 1));
}

// The values of pairs above the diagonal, and their mirror image.
Tensor make_symmetric(const Tensor& pairs, const SymInt& rows) {
  const Tensor is_above = ones({rows, rows}, DType::Bool, {}, pairs.device()).triu(1);
  const Tensor above = pairs.new_zeros({rows, rows}).masked_scatter(is_above, pairs);
  return above.add(above.t());
}

}  // namespace

Tensor cdist_gradient(const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                      const Tensor& distances) {
  if (p == 0) return zeros_like(x1);
  if (p == 2) {
    // The sum over pairs of shares * (x1 - x2), without a tensor of all differences.
    const Tensor shares = divide(grad, distances, 1);
    return sum_to(x1.mul(shares.sum({-1}, true)).sub(matmul(shares, x2)), sizes_of(x1));
  }
  const bool is_scaled = p != 1 && !std::isinf(p);
  const Tensor shares = is_scaled ? divide(grad, distances, p - 1) : grad;
  const Tensor difference = x1.unsqueeze(-2).sub(x2.unsqueeze(-3));
  return sum_to(slopes(difference, distances, p).mul(shares.unsqueeze(-1)).sum({-2}), sizes_of(x1));
}

Tensor pdist_gradient(const Tensor& grad, const Tensor& self, double p, const Tensor& distances) {
  const SymInt rows = self.sym_size(0);
  return cdist_gradient(make_symmetric(grad, rows), self, self, p, make_symmetric(distances, rows));
}

}  // namespace opwright
