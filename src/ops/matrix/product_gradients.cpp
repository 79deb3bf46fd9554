#include "opwright/ops/matrix/product_gradients.h"

#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/rule/gradient_rule.h"

namespace opwright {

Tensor first_factor_gradient(const Tensor& grad, const Tensor& second, bool is_transposed) {
  if (is_transposed) return conjugate(second).mm(grad.t()).t();
  return grad.mm(adjoint(second));
}

Tensor second_factor_gradient(const Tensor& grad, const Tensor& first, bool is_transposed) {
  if (is_transposed) return grad.t().mm(conjugate(first)).t();
  return adjoint(first).mm(grad);
}

}  // namespace opwright
