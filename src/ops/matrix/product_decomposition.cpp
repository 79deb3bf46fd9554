// Decomposes a matrix product plus an addend into a product and a sum, so that the sum can be
// fused. For halves the product is rounded once more than in the single operator.
#include "opwright/functions.h"

namespace opwright {
namespace {

bool is_number(const Scalar& number, double value) {
  return !number.is_complex() && number.to<double>() == value;
}

// Factors of int tensors are ints.
Scalar as_factor(const Scalar& number, DType dtype) {
  const bool is_discrete = is_integral(dtype) || dtype == DType::Bool;
  return is_discrete ? Scalar(number.to<int64_t>()) : number;
}

Tensor add_scaled_product(const Tensor& self, const Tensor& product, const Scalar& beta,
                          const Scalar& alpha) {
  const Scalar of_product = as_factor(alpha, product.dtype());
  const Scalar of_self = as_factor(beta, product.dtype());
  const Tensor scaled = is_number(of_product, 1) ? product : product.mul(of_product);
  // A term with factor 0 is not read.
  return is_number(of_self, 0) ? scaled : scaled.add(self, of_self);
}

}  // namespace

Tensor addmm_decomposition(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                           const Scalar& beta, const Scalar& alpha) {
  return add_scaled_product(self, mm(mat1, mat2), beta, alpha);
}
Tensor baddbmm_decomposition(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                             const Scalar& beta, const Scalar& alpha) {
  return add_scaled_product(self, bmm(batch1, batch2), beta, alpha);
}
Tensor addmv_decomposition(const Tensor& self, const Tensor& mat, const Tensor& vec,
                           const Scalar& beta, const Scalar& alpha) {
  return add_scaled_product(self, mv(mat, vec), beta, alpha);
}

}  // namespace opwright
