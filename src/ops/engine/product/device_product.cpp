#include "opwright/ops/engine/product/device_product.h"

#include <cstdint>
#include <span>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/functions.h"  // IWYU pragma: keep
#include "opwright/ops/engine/device/device_primitive.h"
#include "opwright/ops/engine/product/product_shape.h"
#include "opwright/scalar.h"
#include "opwright/tensor/factory.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

enum class VectorAs : uint8_t { Row, Column };

OpwMatrix describe_matrix(const Tensor& tensor, VectorAs vector) {
  const auto strides = tensor.strides();
  OpwMatrix matrix{.data = const_cast<void*>(tensor.data()), .batch = 0, .row = 0, .column = 0};
  if (strides.size() == 1) {
    (vector == VectorAs::Row ? matrix.column : matrix.row) = strides[0];
  } else if (strides.size() > 1) {
    matrix.row = strides[strides.size() - 2];
    matrix.column = strides.back();
    if (strides.size() == 3) matrix.batch = strides[0];
  }
  return matrix;
}

Tensor make_product(const char* who, const Tensor& left, const Tensor& right,
                    std::span<const int64_t> sizes) {
  Tensor result = make_empty(sizes, left.dtype(), left.device());
  multiply_on_device(who, left, right, result);
  return result;
}

double as_factor(const char* who, const char* name, const Scalar& number) {
  OPWRIGHT_CHECK_TYPE(!number.is_complex(), who, ": ", name,
                      " is a complex number, which products on devices do not support");
  return number.to<double>();
}

// The result starts as the addend.
Tensor add_product(const char* who, const Tensor& self, const Tensor& left, const Tensor& right,
                   std::span<const int64_t> sizes, const Scalar& beta, const Scalar& alpha) {
  check_addend(who, self.dtype(), left.dtype());
  const Tensor addend = make_view(self, expand_geometry(geometry_of(self), sizes, who));
  const double kept = as_factor(who, "beta", beta);
  Tensor result = make_empty(sizes, left.dtype(), left.device());
  if (kept != 0) result.copy_(addend);
  multiply_on_device(who, left, right, result, as_factor(who, "alpha", alpha), kept);
  return result;
}

}  // namespace

void multiply_on_device(const char* who, const Tensor& left, const Tensor& right,
                        const Tensor& result, double alpha, double beta) {
  if (result.numel() == 0) return;
  OpwProduct product{};
  product.struct_size = sizeof product;
  product.dtype = to_dlpack(result.dtype());
  product.batch = left.dim() == 3 ? left.size(0) : 1;
  product.rows = left.dim() == 1 ? 1 : left.size(-2);
  product.depth = alpha == 0 ? 0 : left.size(-1);  // non-finite values do not come through
  product.columns = right.dim() == 1 ? 1 : right.size(-1);
  product.left = describe_matrix(left, VectorAs::Row);
  product.right = describe_matrix(right, VectorAs::Column);
  product.result = describe_matrix(result, left.dim() == 1 ? VectorAs::Row : VectorAs::Column);
  product.alpha = alpha;
  product.beta = beta;
  run_primitive(who, result.device(), &OpwDeviceTable::compute_product,
                "products (compute_product)", product);
}

Tensor mm_all_devices(const Tensor& self, const Tensor& mat2) {
  return make_product("mm", self, mat2, matrix_sizes("mm", "self", self, "mat2", mat2));
}
Tensor bmm_all_devices(const Tensor& self, const Tensor& mat2) {
  return make_product("bmm", self, mat2, batch_sizes("bmm", "self", self, "mat2", mat2));
}
Tensor mv_all_devices(const Tensor& self, const Tensor& vec) {
  return make_product("mv", self, vec, vector_sizes("mv", "self", self, vec));
}
Tensor dot_all_devices(const Tensor& self, const Tensor& tensor) {
  return make_product("dot", self, tensor, dot_sizes("dot", self, "tensor", tensor));
}
Tensor vdot_all_devices(const Tensor& self, const Tensor& other) {
  const auto sizes = dot_sizes("vdot", self, "other", other);
  return make_product("vdot", is_complex(self.dtype()) ? self.conj_physical() : self, other, sizes);
}

Tensor addmm_all_devices(const Tensor& self, const Tensor& mat1, const Tensor& mat2,
                         const Scalar& beta, const Scalar& alpha) {
  const auto sizes = matrix_sizes("addmm", "mat1", mat1, "mat2", mat2);
  return add_product("addmm", self, mat1, mat2, sizes, beta, alpha);
}
Tensor baddbmm_all_devices(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                           const Scalar& beta, const Scalar& alpha) {
  const auto sizes = batch_sizes("baddbmm", "batch1", batch1, "batch2", batch2);
  return add_product("baddbmm", self, batch1, batch2, sizes, beta, alpha);
}
Tensor addmv_all_devices(const Tensor& self, const Tensor& mat, const Tensor& vec,
                         const Scalar& beta, const Scalar& alpha) {
  const auto sizes = vector_sizes("addmv", "mat", mat, vec);
  return add_product("addmv", self, mat, vec, sizes, beta, alpha);
}

}  // namespace opwright
