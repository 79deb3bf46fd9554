// vmap rules of operators that are elementwise except for some arguments: masks, complex numbers
// from two parts, triangles.
#include <algorithm>
#include <cstdint>
#include <tuple>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

// The number for each sample, in the dtype of the written tensor.
Tensor filled_number(const VmapInfo& info, const Tensor& self, const Tensor& value, int64_t ndim) {
  OPWRIGHT_CHECK(sample_ndim(info, 2, value) == 0,
                 "masked_fill: value must have zero dimensions, got ", sample_ndim(info, 2, value));
  return with_sample_ndim(_to_copy(batch_first(info, 2, value), self.dtype()), ndim);
}

// The mask of written elements, and the batch.
struct MaskedBatch {
  MaskedBatch(const VmapInfo& info, const Tensor& self, const Tensor& given)
      : batch(written_batch(info, 0, self)),
        mask(with_sample_ndim(as_batch(info, 1, given), batch.dim() - 1)) {}

  Tensor batch;
  Tensor mask;
};

}  // namespace

VmapResult<Tensor> masked_fill_tensor_vmap(const VmapInfo& info, const Tensor& self,
                                           const Tensor& mask, const Tensor& value) {
  const auto batches = aligned(info, {self, mask});
  if (!is_batched(info, 2)) return batched(masked_fill(batches[0], batches[1], value));
  const int64_t ndim = std::max(sample_ndim(info, 0, self), sample_ndim(info, 1, mask));
  return batched(where(batches[1], filled_number(info, self, value, ndim), batches[0]));
}
VmapResult<Tensor&> masked_fill_scalar_in_place_vmap(const VmapInfo& info, Tensor& self,
                                                     const Tensor& mask, const Scalar& value) {
  MaskedBatch masked(info, self, mask);
  masked.batch.masked_fill_(masked.mask, value);
  return {self, {info.in_dims[0]}};
}
VmapResult<Tensor&> masked_fill_tensor_in_place_vmap(const VmapInfo& info, Tensor& self,
                                                     const Tensor& mask, const Tensor& value) {
  MaskedBatch masked(info, self, mask);
  if (!is_batched(info, 2)) {
    masked.batch.masked_fill_(masked.mask, value);
  } else {
    const Tensor numbers = filled_number(info, self, value, masked.batch.dim() - 1);
    masked.batch.copy_(where(masked.mask, numbers, masked.batch));
  }
  return {self, {info.in_dims[0]}};
}

VmapResult<Tensor> complex_vmap(const VmapInfo& info, const Tensor& real, const Tensor& imag) {
  const auto batches = aligned(info, {real, imag});
  return batched(complex(batches[0], batches[1]));
}
VmapResult<Tensor> polar_vmap(const VmapInfo& info, const Tensor& abs, const Tensor& angle) {
  const auto batches = aligned(info, {abs, angle});
  return batched(polar(batches[0], batches[1]));
}

// ---- triangles ----
namespace {

Tensor check_batched_matrices(const char* who, const Tensor& batch) {
  OPWRIGHT_CHECK(batch.dim() > 2, who, ": self must have at least 2 dimensions, got ",
                 batch.dim() - 1);
  return batch;
}

}  // namespace

VmapResult<Tensor> tril_vmap(const VmapInfo& info, const Tensor& self, const SymInt& diagonal) {
  return batched(tril(check_batched_matrices("tril", batch_first(info, 0, self)), diagonal));
}
VmapResult<Tensor> triu_vmap(const VmapInfo& info, const Tensor& self, const SymInt& diagonal) {
  return batched(triu(check_batched_matrices("triu", batch_first(info, 0, self)), diagonal));
}
VmapResult<Tensor&> tril_in_place_vmap(const VmapInfo& info, Tensor& self, const SymInt& diagonal) {
  check_batched_matrices("tril_", written_batch(info, 0, self)).tril_(diagonal);
  return {self, {info.in_dims[0]}};
}
VmapResult<Tensor&> triu_in_place_vmap(const VmapInfo& info, Tensor& self, const SymInt& diagonal) {
  check_batched_matrices("triu_", written_batch(info, 0, self)).triu_(diagonal);
  return {self, {info.in_dims[0]}};
}

VmapResult<std::tuple<Tensor, Tensor>> frexp_vmap(const VmapInfo& info, const Tensor& self) {
  return {frexp(self), {info.in_dims[0], info.in_dims[0]}};
}

}  // namespace opwright
