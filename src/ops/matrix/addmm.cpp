// addmm, baddbmm, addmv: beta * self + alpha * a product.
#include <string_view>

#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/product_shape.h"
#include "opwright/ops/engine/product/tensor_product.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

Tensor compute(const char* who, const Tensor& self, const Tensor& a, const Tensor& b,
               std::span<const int64_t> sizes, const Scalar& beta, const Scalar& alpha) {
  check_addend(who, self.dtype(), a.dtype());
  const Tensor product = multiply_tensors(who, a, b, sizes);
  add_to_product(who, product, self, beta, alpha);
  return as_dtype(product, self.dtype());
}

FakeTensor make_result(const char* who, const FakeTensor& self, DType dtype,
                       std::span<const SymInt> sizes) {
  check_addend(who, self.dtype(), dtype);
  (void)expand_geometry<SymInt>(sym_geometry_of(as_tensor(self)), sizes, who);
  return make_fake_like(self, sizes, dtype);
}

}  // namespace

Tensor addmm_cpu(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                 const Scalar& alpha) {
  const auto sizes = matrix_sizes("addmm", "mat1", mat1, "mat2", mat2);
  return compute("addmm", self, mat1, mat2, sizes, beta, alpha);
}
FakeTensor addmm_fake(const FakeTensor& self, const FakeTensor& mat1, const FakeTensor& mat2,
                      const Scalar& /*beta*/, const Scalar& /*alpha*/) {
  const auto sizes = matrix_sizes("addmm", "mat1", mat1, "mat2", mat2);
  return make_result("addmm", self, mat1.dtype(), sizes);
}

Tensor baddbmm_cpu(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                   const Scalar& beta, const Scalar& alpha) {
  const auto sizes = batch_sizes("baddbmm", "batch1", batch1, "batch2", batch2);
  return compute("baddbmm", self, batch1, batch2, sizes, beta, alpha);
}
FakeTensor baddbmm_fake(const FakeTensor& self, const FakeTensor& batch1, const FakeTensor& batch2,
                        const Scalar& /*beta*/, const Scalar& /*alpha*/) {
  const auto sizes = batch_sizes("baddbmm", "batch1", batch1, "batch2", batch2);
  return make_result("baddbmm", self, batch1.dtype(), sizes);
}

Tensor addmv_cpu(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
                 const Scalar& alpha) {
  const auto sizes = vector_sizes("addmv", "mat", mat, vec);
  return compute("addmv", self, mat, vec, sizes, beta, alpha);
}
FakeTensor addmv_fake(const FakeTensor& self, const FakeTensor& mat, const FakeTensor& vec,
                      const Scalar& /*beta*/, const Scalar& /*alpha*/) {
  const auto sizes = vector_sizes("addmv", "mat", mat, vec);
  return make_result("addmv", self, mat.dtype(), sizes);
}

}  // namespace opwright
