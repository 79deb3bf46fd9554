// The vmap rule of _embedding_bag: concatenates the tables, indices and bags of all samples, where
// a call for all gives what a call for each gives.
#include <array>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/embedding/embedding_bag_mode.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Bags = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// Indices into the tables of all samples. An index that is out of range for its own table stays so.
Tensor fold_indices(const VmapInfo& info, const Tensor& indices, const SymInt& rows,
                    int64_t padding_idx) {
  const Tensor placed = indices.add(batch_offsets(info, rows, 1, indices));
  const Tensor is_outside = indices.lt(0).logical_or(indices.ge(Scalar(rows)));
  const Tensor checked = placed.masked_fill(is_outside, Scalar(rows * info.batch_size));
  return checked.masked_fill(indices.eq(padding_idx), padding_idx).flatten();
}

// Where each bag begins among the indices of all samples. If a sample's offsets do not begin with
// 0, end after its indices or have a last one before the last bag, the result is not ascending.
Tensor fold_offsets(const VmapInfo& info, const Tensor& offsets, const SymInt& count,
                    bool include_last_offset) {
  const SymInt bags = offsets.sym_size(1) - (include_last_offset ? 1 : 0);
  const Tensor begins = slice(offsets, 1, SymInt(0), bags);
  Tensor is_wrong =
      slice(offsets, 1, SymInt(0), SymInt(1)).ne(0).logical_or(begins.gt(Scalar(count)));
  if (include_last_offset) {
    const Tensor last = slice(offsets, 1, bags, bags + 1);
    is_wrong = is_wrong.logical_or(last.gt(Scalar(count))).logical_or(begins.gt(last));
  }
  return begins.add(batch_offsets(info, count, 1, offsets)).masked_fill(is_wrong, -1).flatten();
}

Tensor sample_of(const VmapInfo& info, size_t index, const Tensor& tensor, int64_t sample) {
  return is_batched(info, index) ? batch_first(info, index, tensor).select(0, SymInt(sample))
                                 : tensor;
}

// Sums of dense rows count the indices after the last offset, but do not add them, which the folded
// call cannot tell from those of the next sample.
Bags bags_of_each_sample(const VmapInfo& info, const Tensor& weight, const Tensor& indices,
                         const Tensor& offsets, bool scale_grad_by_freq, int64_t mode, bool sparse,
                         const std::optional<Tensor>& per_sample_weights, int64_t padding_idx) {
  std::array<std::vector<Tensor>, 4> samples;
  for (int64_t i = 0; i < info.batch_size.specialise(); ++i) {
    std::optional<Tensor> scales = per_sample_weights;
    if (scales && scales->is_defined()) scales = sample_of(info, 6, *scales, i);
    const auto [result, bag_of, bag_sizes, maxima] =
        _embedding_bag(sample_of(info, 0, weight, i), sample_of(info, 1, indices, i),
                       sample_of(info, 2, offsets, i), scale_grad_by_freq, mode, sparse, scales,
                       true, padding_idx);
    samples[0].push_back(result);
    samples[1].push_back(bag_of);
    samples[2].push_back(bag_sizes);
    samples[3].push_back(maxima);
  }
  return {stack(samples[0]), stack(samples[1]), stack(samples[2]), stack(samples[3])};
}

}  // namespace

VmapResult<Bags> embedding_bag_vmap(const VmapInfo& info, const Tensor& weight,
                                    const Tensor& indices, const Tensor& offsets,
                                    bool scale_grad_by_freq, int64_t mode, bool sparse,
                                    const std::optional<Tensor>& per_sample_weights,
                                    bool include_last_offset, int64_t padding_idx) {
  const bool adds_rows = mode != static_cast<int64_t>(BagMode::Max);
  if (include_last_offset && adds_rows && info.batch_size.specialise() > 0)
    return batched(bags_of_each_sample(info, weight, indices, offsets, scale_grad_by_freq, mode,
                                       sparse, per_sample_weights, padding_idx));
  const Tensor places = as_batch(info, 1, indices);
  const Tensor begins = as_batch(info, 2, offsets);
  const bool has_own_tables = is_batched(info, 0);
  const SymInt rows = has_own_tables ? batch_first(info, 0, weight).sym_size(1) : SymInt(0);
  const Tensor tables = has_own_tables ? fold_batch(batch_first(info, 0, weight), 0) : weight;
  const Tensor folded =
      has_own_tables ? fold_indices(info, places, rows, padding_idx) : places.flatten();
  const SymInt bags = begins.sym_size(1) - (include_last_offset ? 1 : 0);
  auto [results, bag_of, bag_sizes, maxima] = unfold_batch(
      _embedding_bag(tables, _to_copy(folded, indices.dtype()),
                     _to_copy(fold_offsets(info, begins, places.sym_size(1), include_last_offset),
                              offsets.dtype()),
                     scale_grad_by_freq, mode, sparse,
                     fold_batch(as_batch(info, 6, per_sample_weights), 0), false, padding_idx),
      0, info.batch_size);
  bag_of = _to_copy(bag_of.sub(batch_offsets(info, bags, 1, bag_of)), bag_of.dtype());
  if (mode == static_cast<int64_t>(BagMode::Max) && has_own_tables) {
    const Tensor of_sample = maxima.sub(batch_offsets(info, rows, 2, maxima));
    maxima = _to_copy(of_sample.masked_fill(bag_sizes.eq(0).unsqueeze(-1), 0), maxima.dtype());
  }
  return batched(Bags(results, bag_of, bag_sizes, maxima));
}

}  // namespace opwright
