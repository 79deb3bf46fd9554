// mm, bmm, mv, dot, vdot.
#include "opwright/for_dtype.h"
#include "opwright/ops/engine/cpu/numbers.h"
#include "opwright/ops/engine/move/copy.h"
#include "opwright/ops/engine/product/product.h"
#include "opwright/ops/engine/product/product_shape.h"
#include "opwright/ops/engine/product/tensor_product.h"
#include "opwright/ops/engine/shape/fake_shape.h"

namespace opwright {
namespace {

Tensor compute_dot(const char* who, const Tensor& self, const Tensor& other, bool conjugates) {
  const DType dtype = product_dtype(self.dtype());
  const Tensor a = as_dtype(self, dtype);
  const Tensor b = as_dtype(other, dtype);
  const Tensor output = make_empty({}, dtype);
  for_dtype(dtype, who, [&]<typename T>() {
    if constexpr (!kIsBool<T> && !kIsHalf<T>) {
      *output.mutable_data<T>() = a.numel() == 0
                                      ? T{}
                                      : multiply_vectors(a.data<T>(), a.stride(0), b.data<T>(),
                                                         b.stride(0), a.numel(), conjugates);
    }
  });
  return as_dtype(output, self.dtype());
}

}  // namespace

Tensor mm_cpu(const Tensor& self, const Tensor& mat2) {
  const auto sizes = matrix_sizes("mm", "self", self, "mat2", mat2);
  return as_dtype(multiply_tensors("mm", self, mat2, sizes), self.dtype());
}
FakeTensor mm_fake(const FakeTensor& self, const FakeTensor& mat2) {
  const auto sizes = matrix_sizes("mm", "self", self, "mat2", mat2);
  return make_fake_like(self, sizes, self.dtype());
}

Tensor bmm_cpu(const Tensor& self, const Tensor& mat2) {
  const auto sizes = batch_sizes("bmm", "self", self, "mat2", mat2);
  return as_dtype(multiply_tensors("bmm", self, mat2, sizes), self.dtype());
}
FakeTensor bmm_fake(const FakeTensor& self, const FakeTensor& mat2) {
  const auto sizes = batch_sizes("bmm", "self", self, "mat2", mat2);
  return make_fake_like(self, sizes, self.dtype());
}

Tensor mv_cpu(const Tensor& self, const Tensor& vec) {
  const auto sizes = vector_sizes("mv", "self", self, vec);
  return as_dtype(multiply_tensors("mv", self, vec, sizes), self.dtype());
}
FakeTensor mv_fake(const FakeTensor& self, const FakeTensor& vec) {
  const auto sizes = vector_sizes("mv", "self", self, vec);
  return make_fake_like(self, sizes, self.dtype());
}

Tensor dot_cpu(const Tensor& self, const Tensor& tensor) {
  dot_sizes("dot", self, "tensor", tensor);
  return compute_dot("dot", self, tensor, false);
}
FakeTensor dot_fake(const FakeTensor& self, const FakeTensor& tensor) {
  return make_fake_like(self, dot_sizes("dot", self, "tensor", tensor), self.dtype());
}

Tensor vdot_cpu(const Tensor& self, const Tensor& other) {
  dot_sizes("vdot", self, "other", other);
  return compute_dot("vdot", self, other, true);
}
FakeTensor vdot_fake(const FakeTensor& self, const FakeTensor& other) {
  return make_fake_like(self, dot_sizes("vdot", self, "other", other), self.dtype());
}

}  // namespace opwright
