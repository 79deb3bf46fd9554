// vmap rules of sorting and cumulative sums: the batch stays in front of the dimension.
#include <cstdint>
#include <optional>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Sorted = std::tuple<Tensor, Tensor>;

}  // namespace

VmapResult<Tensor> cumsum_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                               const std::optional<DType>& dtype) {
  return map_along(info, self, dim, "cumsum",
                   [&](const Tensor& batch, int64_t along) { return cumsum(batch, along, dtype); });
}
VmapResult<Tensor> cumprod_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                const std::optional<DType>& dtype) {
  return map_along(info, self, dim, "cumprod", [&](const Tensor& batch, int64_t along) {
    return cumprod(batch, along, dtype);
  });
}
VmapResult<Tensor> logcumsumexp_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  return map_along(info, self, dim, "logcumsumexp",
                   [](const Tensor& batch, int64_t along) { return logcumsumexp(batch, along); });
}
VmapResult<Sorted> sort_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                             bool descending) {
  return map_along(info, self, dim, "sort", [&](const Tensor& batch, int64_t along) {
    return sort(batch, along, descending);
  });
}
VmapResult<Sorted> sort_stable_vmap(const VmapInfo& info, const Tensor& self,
                                    const std::optional<bool>& stable, int64_t dim,
                                    bool descending) {
  return map_along(info, self, dim, "sort", [&](const Tensor& batch, int64_t along) {
    return sort(batch, stable, along, descending);
  });
}
VmapResult<Sorted> topk_vmap(const VmapInfo& info, const Tensor& self, const SymInt& k, int64_t dim,
                             bool largest, bool sorted) {
  const SymInt count = self.dim() == 1 ? SymInt(1) : k;  // zero-dim: k does not matter
  return map_along(info, self, dim, "topk", [&](const Tensor& batch, int64_t along) {
    return topk(batch, count, along, largest, sorted);
  });
}

}  // namespace opwright
