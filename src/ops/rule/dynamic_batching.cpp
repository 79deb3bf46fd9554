// vmap rules of operators with data-dependent result sizes, and of masks.
#include "opwright/ops/rule/dynamic_batching.h"

#include <cstdint>
#include <optional>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

// The number of rows per sample; `samples` holds the sample of every row, in order.
SymInt rows_of_each(const VmapInfo& info, const Tensor& samples, const char* who) {
  const SymInt total = samples.sym_size(0);
  const SymInt each = total / info.batch_size;
  const Tensor numbers = batch_offsets(info, 1, 1, samples).expand({info.batch_size, each});
  OPWRIGHT_CHECK(equal(samples.to(DType::Int64), numbers.flatten()), who,
                 ": under vmap every sample must give a result of the same size, but ", total,
                 " elements are not spread evenly over ", info.batch_size, " samples");
  return each;
}

// Broadcasts elements to each other; one row per sample.
Tensor as_rows_of(const VmapInfo& info, size_t index, const Tensor& tensor,
                  std::span<const SymInt> sizes) {
  return as_rows(with_sample_ndim(as_batch(info, index, tensor), static_cast<int64_t>(sizes.size()))
                     .expand(with_batch(info.batch_size, sizes)));
}

// masked_scatter: the n-th true element gets the n-th element of source.
Tensor scatter_masked(const VmapInfo& info, const Tensor& self, const Tensor& mask,
                      const Tensor& source) {
  const Tensor batch = as_batch(info, 0, self);
  const SymSizes sizes =
      broadcast_sizes(sample_sizes(batch), sample_sizes(as_batch(info, 1, mask)), "masked_scatter");
  const Tensor chosen = as_rows_of(info, 1, mask, sizes);
  const Tensor values = as_rows(as_batch(info, 2, source));
  const Tensor places = cumsum(chosen, 1, DType::Int64).sub(1).masked_fill(chosen.logical_not(), 0);
  const Tensor written = where(chosen, gather(values, 1, places), as_rows_of(info, 0, self, sizes));
  return written.reshape(with_batch(info.batch_size, sizes));
}

}  // namespace

Tensor nonzero_of_samples(const VmapInfo& info, const Tensor& batch) {
  const Tensor places = nonzero(batch);
  const SymInt each = rows_of_each(info, places.select(1, 0), "nonzero");
  return slice(places, 1, SymInt(1)).reshape({info.batch_size, each, SymInt(batch.dim() - 1)});
}

VmapResult<Tensor> nonzero_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(nonzero_of_samples(info, batch_first(info, 0, self)));
}
VmapResult<Tensor> masked_select_vmap(const VmapInfo& info, const Tensor& self,
                                      const Tensor& mask) {
  const SymSizes sizes = broadcast_sizes(sample_sizes(as_batch(info, 0, self)),
                                         sample_sizes(as_batch(info, 1, mask)), "masked_select");
  const Tensor chosen = as_rows_of(info, 1, mask, sizes);
  const Tensor numbers = batch_offsets(info, 1, 1, chosen).expand(sym_geometry_of(chosen).sizes);
  const SymInt each = rows_of_each(info, masked_select(numbers, chosen), "masked_select");
  const Tensor selected = masked_select(as_rows_of(info, 0, self, sizes), chosen);
  return batched(selected.reshape({info.batch_size, each}));
}
VmapResult<Tensor> repeat_interleave_vmap(const VmapInfo& info, const Tensor& repeats,
                                          const std::optional<SymInt>& output_size) {
  const Tensor batch = batch_first(info, 0, repeats);
  const SymInt length = batch.sym_size(1);
  const std::optional<SymInt> total =
      output_size ? std::optional(*output_size * info.batch_size) : std::nullopt;
  const Tensor places = repeat_interleave(batch.flatten(), total);
  const SymInt each =
      rows_of_each(info, places.div(Scalar(sym_max(length, 1)), "floor"), "repeat_interleave");
  const Tensor offsets = batch_offsets(info, length, 1, places).to(places.dtype());
  return batched(places.reshape({info.batch_size, each}).sub(offsets));
}
VmapResult<Tensor> masked_scatter_vmap(const VmapInfo& info, const Tensor& self, const Tensor& mask,
                                       const Tensor& source) {
  return batched(scatter_masked(info, self, mask, source));
}
VmapResult<Tensor&> masked_scatter_in_place_vmap(const VmapInfo& info, Tensor& self,
                                                 const Tensor& mask, const Tensor& source) {
  return {write_out(info, 0, self, scatter_masked(info, self, mask, source)), {info.in_dims[0]}};
}

}  // namespace opwright
