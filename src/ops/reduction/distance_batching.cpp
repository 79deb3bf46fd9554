// vmap rules of distances between rows.
#include <cstdint>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {

VmapResult<Tensor> cdist_forward_vmap(const VmapInfo& info, const Tensor& x1, const Tensor& x2,
                                      double p, const std::optional<int64_t>& compute_mode) {
  OPWRIGHT_CHECK(sample_ndim(info, 0, x1) >= 2 && sample_ndim(info, 1, x2) >= 2,
                 "_cdist_forward: x1 and x2 must have at least 2 dimensions, got ",
                 sample_ndim(info, 0, x1), " and ", sample_ndim(info, 1, x2));
  const auto batches = aligned(info, {x1, x2});
  return batched(_cdist_forward(batches[0], batches[1], p, compute_mode));
}
// Takes the distances above the diagonal of all pairs.
VmapResult<Tensor> pdist_forward_vmap(const VmapInfo& info, const Tensor& self, double p) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(batch.dim() == 3, "_pdist_forward: self must have 2 dimensions, got ",
                 batch.dim() - 1);
  const int64_t count = batch.size(1);  // there is a list of pairs
  const Tensor pairs = triu_indices(count, count, 1, DType::Int64, std::nullopt, self.device());
  const Tensor places = pairs.select(0, 0).mul(count).add(pairs.select(0, 1));
  constexpr int64_t kByDifferences = 2;
  return batched(
      index_select(_cdist_forward(batch, batch, p, kByDifferences).flatten(1), 1, places));
}

}  // namespace opwright
