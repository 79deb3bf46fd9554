// vmap rules of matrix products: matmul broadcasts over the batch, baddbmm adds to it.
#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

void check_ndim(const VmapInfo& info, size_t index, const Tensor& tensor, int64_t ndim,
                const char* who, const char* name) {
  OPWRIGHT_CHECK(sample_ndim(info, index, tensor) == ndim, who, ": ", name, " must have ", ndim,
                 " dimensions, got ", sample_ndim(info, index, tensor));
}

Tensor multiply_batched_matrices(const VmapInfo& info, const Tensor& self, const Tensor& mat2,
                                 int64_t ndim, const char* who) {
  check_ndim(info, 0, self, ndim, who, "self");
  check_ndim(info, 1, mat2, ndim, who, "mat2");
  const Tensor a = batch_first(info, 0, self);
  const Tensor b = batch_first(info, 1, mat2);
  return matmul(a, b);
}

Tensor multiply_batched_vector(const VmapInfo& info, const Tensor& self, const Tensor& vec) {
  check_ndim(info, 0, self, 2, "mv", "self");
  check_ndim(info, 1, vec, 1, "mv", "vec");
  return matmul(batch_first(info, 0, self), batch_first(info, 1, vec).unsqueeze(-1)).squeeze(-1);
}

Tensor multiply_batched_vectors(const VmapInfo& info, const Tensor& self, const Tensor& other,
                                const char* who) {
  check_ndim(info, 0, self, 1, who, "self");
  check_ndim(info, 1, other, 1, who, "the other operand");
  const Tensor row = batch_first(info, 0, self).unsqueeze(-2);
  const Tensor column = batch_first(info, 1, other).unsqueeze(-1);
  return matmul(row, column).squeeze(-1).squeeze(-1);
}

// beta * self + alpha * (mat1 @ mat2) for each sample.
Tensor add_batched_product(const VmapInfo& info, const Tensor& self, const Tensor& mat1,
                           const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  check_ndim(info, 1, mat1, 2, "addmm", "mat1");
  check_ndim(info, 2, mat2, 2, "addmm", "mat2");
  const Tensor addend = with_sample_ndim(as_batch(info, 0, self), 2);
  return baddbmm(addend, as_batch(info, 1, mat1), as_batch(info, 2, mat2), beta, alpha);
}

// The same if every sample is a batch of products: merges all of them into one batch.
Tensor add_batch_product(const VmapInfo& info, const Tensor& self, const Tensor& batch1,
                         const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
  check_ndim(info, 1, batch1, 3, "baddbmm", "batch1");
  check_ndim(info, 2, batch2, 3, "baddbmm", "batch2");
  const Tensor a = as_batch(info, 1, batch1);
  const Tensor b = as_batch(info, 2, batch2);
  const Tensor addend = with_sample_ndim(as_batch(info, 0, self), 3)
                            .expand({info.batch_size, a.sym_size(1), a.sym_size(2), b.sym_size(3)});
  const Tensor sums =
      baddbmm(fold_batch(addend, 0), fold_batch(a, 0), fold_batch(b, 0), beta, alpha);
  return unfold_batch(sums, 0, info.batch_size);
}

Tensor add_vector_product(const VmapInfo& info, const Tensor& self, const Tensor& mat,
                          const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
  check_ndim(info, 1, mat, 2, "addmv", "mat");
  check_ndim(info, 2, vec, 1, "addmv", "vec");
  const Tensor addend = with_sample_ndim(as_batch(info, 0, self), 1).unsqueeze(-1);
  return baddbmm(addend, as_batch(info, 1, mat), as_batch(info, 2, vec).unsqueeze(-1), beta, alpha)
      .squeeze(-1);
}

VmapResult<Tensor&> written(const VmapInfo& info, size_t index, Tensor& out, const Tensor& result) {
  return {write_out(info, index, out, result), {info.in_dims[index]}};
}

}  // namespace

VmapResult<Tensor> mm_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat2) {
  return batched(multiply_batched_matrices(info, self, mat2, 2, "mm"));
}
VmapResult<Tensor&> mm_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat2,
                                Tensor& out) {
  return written(info, 2, out,
                 as_batch_of(info, 2, multiply_batched_matrices(info, self, mat2, 2, "mm")));
}
VmapResult<Tensor> bmm_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat2) {
  return batched(multiply_batched_matrices(info, self, mat2, 3, "bmm"));
}
VmapResult<Tensor&> bmm_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat2,
                                 Tensor& out) {
  return written(info, 2, out,
                 as_batch_of(info, 2, multiply_batched_matrices(info, self, mat2, 3, "bmm")));
}
VmapResult<Tensor> mv_vmap(const VmapInfo& info, const Tensor& self, const Tensor& vec) {
  return batched(multiply_batched_vector(info, self, vec));
}
VmapResult<Tensor&> mv_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& vec,
                                Tensor& out) {
  return written(info, 2, out, as_batch_of(info, 2, multiply_batched_vector(info, self, vec)));
}
VmapResult<Tensor> dot_vmap(const VmapInfo& info, const Tensor& self, const Tensor& tensor) {
  return batched(multiply_batched_vectors(info, self, tensor, "dot"));
}
VmapResult<Tensor&> dot_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& tensor,
                                 Tensor& out) {
  return written(info, 2, out,
                 as_batch_of(info, 2, multiply_batched_vectors(info, self, tensor, "dot")));
}

VmapResult<Tensor> vdot_vmap(const VmapInfo& info, const Tensor& self, const Tensor& other) {
  return batched(multiply_batched_vectors(info, conj(self), other, "vdot"));
}
VmapResult<Tensor&> vdot_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& other,
                                  Tensor& out) {
  const Tensor result = multiply_batched_vectors(info, conj(self), other, "vdot");
  return written(info, 2, out, as_batch_of(info, 2, result));
}

VmapResult<Tensor> addmm_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat1,
                              const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  return batched(add_batched_product(info, self, mat1, mat2, beta, alpha));
}
VmapResult<Tensor&> addmm_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat1,
                                   const Tensor& mat2, const Scalar& beta, const Scalar& alpha,
                                   Tensor& out) {
  return written(info, 5, out, add_batched_product(info, self, mat1, mat2, beta, alpha));
}
VmapResult<Tensor&> addmm_in_place_vmap(const VmapInfo& info, Tensor& self, const Tensor& mat1,
                                        const Tensor& mat2, const Scalar& beta,
                                        const Scalar& alpha) {
  return written(info, 0, self, add_batched_product(info, self, mat1, mat2, beta, alpha));
}
VmapResult<Tensor> baddbmm_vmap(const VmapInfo& info, const Tensor& self, const Tensor& batch1,
                                const Tensor& batch2, const Scalar& beta, const Scalar& alpha) {
  return batched(add_batch_product(info, self, batch1, batch2, beta, alpha));
}
VmapResult<Tensor&> baddbmm_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& batch1,
                                     const Tensor& batch2, const Scalar& beta, const Scalar& alpha,
                                     Tensor& out) {
  return written(info, 5, out, add_batch_product(info, self, batch1, batch2, beta, alpha));
}
VmapResult<Tensor&> baddbmm_in_place_vmap(const VmapInfo& info, Tensor& self, const Tensor& batch1,
                                          const Tensor& batch2, const Scalar& beta,
                                          const Scalar& alpha) {
  return written(info, 0, self, add_batch_product(info, self, batch1, batch2, beta, alpha));
}
VmapResult<Tensor> addmv_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat,
                              const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
  return batched(add_vector_product(info, self, mat, vec, beta, alpha));
}
VmapResult<Tensor&> addmv_out_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mat,
                                   const Tensor& vec, const Scalar& beta, const Scalar& alpha,
                                   Tensor& out) {
  return written(info, 5, out, add_vector_product(info, self, mat, vec, beta, alpha));
}
VmapResult<Tensor&> addmv_in_place_vmap(const VmapInfo& info, Tensor& self, const Tensor& mat,
                                        const Tensor& vec, const Scalar& beta,
                                        const Scalar& alpha) {
  return written(info, 0, self, add_vector_product(info, self, mat, vec, beta, alpha));
}

}  // namespace opwright
