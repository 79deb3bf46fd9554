// nonzero_static: the indices of the first `size` nonzero elements; missing ones are filled in.
#include <algorithm>
#include <cstdint>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/fake_shape.h"
#include "opwright/ops/index/nonzero.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/factory.h"

namespace opwright {

Tensor nonzero_static_cpu(const Tensor& self, int64_t size, int64_t fill_value) {
  OPWRIGHT_CHECK(size >= 0, "nonzero_static: size must not be negative, got ", size);
  const Tensor found = find_nonzero(self);  // a row for each dimension
  const int64_t ndim = self.dim();
  const int64_t count = found.sizes()[1];
  const int64_t kept = std::min(count, size);
  Tensor result = make_empty(IntList{size, ndim}, DType::Int64);
  if (result.numel() == 0) return result;
  const auto* from = found.data<int64_t>();
  auto* out = result.mutable_data<int64_t>();
  for (int64_t i = 0; i < kept; ++i) {
    for (int64_t d = 0; d < ndim; ++d) out[i * ndim + d] = from[d * count + i];
  }
  std::fill(out + kept * ndim, out + size * ndim, fill_value);
  return result;
}
FakeTensor nonzero_static_fake(const FakeTensor& self, const SymInt& size, int64_t /*fill_value*/) {
  OPWRIGHT_DEMAND(size >= 0, "nonzero_static: size must not be negative, got ", size);
  return make_fake_like(self, SymSizes{size, self.dim()}, DType::Int64);
}

// The nonzero elements of each sample in order come first in a stable descending sort of flags;
// their place is then split into one index per dimension.
VmapResult<Tensor> nonzero_static_vmap(const VmapInfo& info, const Tensor& self, const SymInt& size,
                                       int64_t fill_value) {
  const Tensor batch = batch_first(info, 0, self);
  const SymSizes sizes = sample_sizes(batch);
  const Tensor rows = as_rows(batch).ne(0).to(DType::UInt8);
  const SymInt missing = sym_max(size - rows.sym_size(1), SymInt(0));
  const Tensor flags = constant_pad_nd(rows, SymSizes{0, missing});
  const auto [sorted, places] = sort(flags, true, 1, true);
  const Tensor is_found = sorted.narrow(1, 0, size).ne(0);
  Tensor rest = places.narrow(1, 0, size);
  Tensor result = rest.new_empty({info.batch_size, size, SymInt(batch.dim() - 1)});
  for (int64_t d = batch.dim() - 2; d >= 0; --d) {
    const Scalar extent(sym_max(sizes[static_cast<size_t>(d)], SymInt(1)));
    const Tensor index = rest.remainder(extent);
    result.select(2, d).copy_(where(is_found, index, Scalar(fill_value)));
    rest = rest.div(extent, "floor");
  }
  return batched(result);
}

}  // namespace opwright
