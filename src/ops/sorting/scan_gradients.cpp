#include "opwright/ops/sorting/scan_gradients.h"

#include <limits>
#include <vector>

#include "opwright/functions.h"
#include "opwright/ops/rule/gradient_rule.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

Tensor reversed(const Tensor& tensor, int64_t dim) {
  return tensor.flip(std::vector<int64_t>{dim});
}

// The product of the elements before each one along `dim`.
Tensor products_before(const Tensor& self, int64_t dim) {
  const SymInt length = self.sym_size(dim);
  const Tensor one = ones_like(self.narrow(dim, 0, 1));
  return cat(std::vector<Tensor>{one, self.narrow(dim, 0, length - 1)}, dim).cumprod(dim);
}

Tensor line_products_of_others(const Tensor& self, int64_t dim) {
  return products_before(self, dim) * reversed(products_before(reversed(self, dim), dim), dim);
}

Tensor reversed_logcumsumexp(const Tensor& self, int64_t dim) {
  return reversed(reversed(self, dim).logcumsumexp(dim), dim);
}

// The smallest finite number; for halves one close to it.
double lowest_of(DType dtype) {
  switch (dtype) {
    case DType::Float64:
      return std::numeric_limits<double>::lowest();
    case DType::Float16:
      return -65504.0;
    case DType::BFloat16:
      return -3.0e38;
    default:
      return static_cast<double>(std::numeric_limits<float>::lowest());
  }
}

}  // namespace

Tensor reversed_cumsum(const Tensor& grad, int64_t dim) {
  if (grad.dim() == 0) return grad;
  return reversed(reversed(grad, dim).cumsum(dim), dim);
}

Tensor prod_gradient(const Tensor& grad, const Tensor& self) {
  if (self.dim() == 0) return grad;
  if (guard_or_false(self.sym_numel() == 0)) return zeros_like(self);
  const Tensor flat = self.reshape({-1});
  const Tensor others = line_products_of_others(flat, 0);
  std::vector<SymInt> sizes;
  for (int64_t i = 0; i < self.dim(); ++i) sizes.push_back(self.sym_size(i));
  return (grad * conjugate(others)).reshape(sizes);
}
Tensor prod_gradient(const Tensor& grad, const Tensor& self, int64_t dim, bool keepdim) {
  if (self.dim() == 0) return grad;
  if (guard_or_false(self.sym_numel() == 0)) return zeros_like(self);
  return (keepdim ? grad : grad.unsqueeze(dim)) * conjugate(line_products_of_others(self, dim));
}

// The gradient of element k is the sum over j >= k of grad[j] times the product of the elements up
// to j without k: the product of those before k, times row k of a matrix of the products of those
// after it.
Tensor cumprod_gradient(const Tensor& grad, const Tensor& self, int64_t dim) {
  if (self.dim() == 0) return grad;
  if (guard_or_false(self.sym_numel() == 0)) return zeros_like(self);
  const Tensor x = self.movedim(dim, -1);
  const Tensor rows = x.unsqueeze(-2);
  const SymInt length = self.sym_size(dim);
  const Tensor place = arange(Scalar(length), DType::Int64, std::nullopt, self.device());
  const Tensor is_after = place.gt(place.unsqueeze(1));
  const Tensor products = where(is_after, rows, 1).cumprod(-1);
  const Tensor is_from = logical_not(place.lt(place.unsqueeze(1)));
  const Tensor terms = where(is_from, conjugate(products), 0) * grad.movedim(dim, -1).unsqueeze(-2);
  const Tensor gradient =
      terms.sum(std::vector<int64_t>{-1}, false) * conjugate(products_before(x, -1));
  return gradient.movedim(-1, dim);
}

// The logarithms of the positive and the negative part are summed separately.
Tensor logcumsumexp_gradient(const Tensor& grad, const Tensor& self, const Tensor& result,
                             int64_t dim) {
  if (self.dim() == 0) return grad;
  const auto spread = [&](const Tensor& log_part) {
    return (reversed_logcumsumexp(log_part - result, dim) + self).exp();
  };
  if (is_complex(self.dtype())) return conjugate(spread(conjugate(grad).log()));
  // Not infinite: second derivatives subtract it from itself.
  const double lowest = lowest_of(grad.dtype());
  return spread(where(grad.gt(0), grad.log(), lowest)) -
         spread(where(grad.lt(0), (-grad).log(), lowest));
}

}  // namespace opwright
