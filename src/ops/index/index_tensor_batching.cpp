// vmap rules of index and index_put: with per-sample indices, the sample number is an additional
// index. Masks per sample become indices, so each must have the same number of true elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/engine/shape/index_shape.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/ops/rule/dynamic_batching.h"

namespace opwright {
namespace {

// One index of a sample; an empty one keeps the dimension.
struct SampleIndex {
  std::optional<Tensor> tensor;  // batch first if it has one
  bool is_batched = false;

  [[nodiscard]] int64_t ndim() const { return tensor->dim() - (is_batched ? 1 : 0); }
};

// The indices of a batch, and how to reorder its result for samples.
struct BatchIndex {
  IndexTensors indices;
  int64_t index_ndim = 0;      // of one sample
  int64_t batch_at = 0;        // in the result
  int64_t kept_before = 0;     // dimensions of a sample before the indexed ones ...
  bool stands_behind = false;  // ... that come after them in the result
};

std::vector<SampleIndex> sample_indices(const VmapInfo& info, const IndexTensors& indices) {
  const auto& dims = info.in_dims[1].elements;
  std::vector<SampleIndex> samples;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!indices[i] || !indices[i]->is_defined()) {
      samples.push_back({});
      continue;
    }
    const std::optional<int64_t> dim = dims.empty() ? std::nullopt : dims[i];
    const Tensor index = batch_first(*indices[i], dim);
    if (!is_mask(index)) {
      samples.push_back({index, dim.has_value()});
      continue;
    }
    const Tensor places = dim ? nonzero_of_samples(info, index) : nonzero(index);
    for (const Tensor& place : unbind(places, -1)) samples.push_back({place, dim.has_value()});
  }
  return samples;
}

BatchIndex make_index(const VmapInfo& info, const Tensor& batch,
                      const std::vector<SampleIndex>& samples) {
  BatchIndex result;
  const auto is_index = [](const SampleIndex& each) { return each.tensor.has_value(); };
  const auto first = std::ranges::find_if(samples, is_index);
  const auto last = std::find_if(samples.rbegin(), samples.rend(), is_index).base();
  const bool are_neighbours = std::all_of(first, last, is_index);
  const bool is_any_batched =
      std::ranges::any_of(samples, [](const SampleIndex& each) { return each.is_batched; });
  for (const SampleIndex& each : samples) {
    if (each.tensor) result.index_ndim = std::max(result.index_ndim, each.ndim());
  }
  result.kept_before = are_neighbours ? first - samples.begin() : 0;
  if (is_any_batched) {
    result.indices.emplace_back(batch_offsets(info, 1, result.index_ndim, batch));
    result.stands_behind = result.kept_before > 0;
  } else {
    result.indices.emplace_back();
    result.batch_at = are_neighbours ? 0 : result.index_ndim;
  }
  for (const SampleIndex& each : samples) {
    result.indices.push_back(each.is_batched ? with_sample_ndim(*each.tensor, result.index_ndim)
                                             : each.tensor);
  }
  return result;
}

// The permutation from [batch, indexed, kept] to [batch, kept before, indexed, kept after].
std::vector<int64_t> order_of_samples(const BatchIndex& index, int64_t ndim) {
  std::vector<int64_t> order{0};
  for (int64_t i = 0; i < index.kept_before; ++i) order.push_back(1 + index.index_ndim + i);
  for (int64_t i = 0; i < index.index_ndim; ++i) order.push_back(1 + i);
  for (int64_t i = 1 + index.index_ndim + index.kept_before; i < ndim; ++i) order.push_back(i);
  return order;
}
std::vector<int64_t> inverse_of(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return inverse;
}

Tensor as_samples(const BatchIndex& index, const Tensor& result) {
  if (index.stands_behind) return result.permute(order_of_samples(index, result.dim()));
  return result.movedim(index.batch_at, 0);
}

// The samples' values, broadcastable to what the batch's indices select.
Tensor batch_values(const VmapInfo& info, const Tensor& batch, const BatchIndex& index,
                    const Tensor& values) {
  const auto indexed = static_cast<int64_t>(std::ranges::count_if(
      index.indices, [](const std::optional<Tensor>& each) { return each.has_value(); }));
  const bool counts_batch = index.indices.front().has_value();
  const int64_t ndim =
      batch.dim() - 1 - (indexed - (counts_batch ? 1 : 0)) + index.index_ndim;  // of a sample
  const Tensor padded = with_sample_ndim(as_batch(info, 2, values), ndim);
  if (index.stands_behind) return padded.permute(inverse_of(order_of_samples(index, ndim + 1)));
  return padded.movedim(0, index.batch_at);
}

// A mask per sample, with one number written where it is true.
bool is_masked_number(const VmapInfo& info, const IndexTensors& indices, const Tensor& values) {
  const auto& dims = info.in_dims[1].elements;
  return indices.size() == 1 && indices[0] && !dims.empty() && dims[0] && is_mask(*indices[0]) &&
         sample_ndim(info, 2, values) == 0;
}
Tensor put_masked_number(const VmapInfo& info, const Tensor& batch, const Tensor& index,
                         const Tensor& values, bool accumulate) {
  Tensor mask = batch_first(index, info.in_dims[1].elements[0]);
  mask = mask.dtype() == DType::Bool ? mask : mask.ne(0);
  while (mask.dim() < batch.dim()) mask = mask.unsqueeze(-1);
  const Tensor numbers = with_sample_ndim(as_batch(info, 2, values), batch.dim() - 1);
  return where(mask, accumulate ? batch.add(numbers) : numbers, batch);
}

}  // namespace

VmapResult<Tensor> index_vmap(const VmapInfo& info, const Tensor& self,
                              const IndexTensors& indices) {
  const Tensor batch = as_batch(info, 0, self);
  const BatchIndex plan = make_index(info, batch, sample_indices(info, indices));
  return batched(as_samples(plan, index(batch, plan.indices)));
}
VmapResult<Tensor> index_put_vmap(const VmapInfo& info, const Tensor& self,
                                  const IndexTensors& indices, const Tensor& values,
                                  bool accumulate) {
  const Tensor batch = as_batch(info, 0, self);
  if (is_masked_number(info, indices, values))
    return batched(put_masked_number(info, batch, *indices[0], values, accumulate));
  const BatchIndex plan = make_index(info, batch, sample_indices(info, indices));
  return batched(
      index_put(batch, plan.indices, batch_values(info, batch, plan, values), accumulate));
}
VmapResult<Tensor&> index_put_in_place_vmap(const VmapInfo& info, Tensor& self,
                                            const IndexTensors& indices, const Tensor& values,
                                            bool accumulate) {
  Tensor batch = written_batch(info, 0, self);
  if (is_masked_number(info, indices, values)) {
    batch.copy_(put_masked_number(info, batch, *indices[0], values, accumulate));
  } else {
    const BatchIndex plan = make_index(info, batch, sample_indices(info, indices));
    batch.index_put_(plan.indices, batch_values(info, batch, plan, values), accumulate);
  }
  return {self, {info.in_dims[0]}};
}

}  // namespace opwright
