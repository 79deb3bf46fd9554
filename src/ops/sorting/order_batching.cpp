// vmap rules of operators that choose elements by their order, and of searches.
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/engine/shape/promotion.h"
#include "opwright/ops/rule/batching.h"

namespace opwright {
namespace {

using Chosen = std::tuple<Tensor, Tensor>;

// Of all elements of each sample. A sample without elements has NaN.
template <class AlongRows>
Tensor median_of_samples(const VmapInfo& info, const Tensor& self, const AlongRows& along_rows) {
  const Tensor rows = as_rows(batch_first(info, 0, self));
  if (guard_or_false(rows.sym_size(1) == 0))
    return rows.new_full({info.batch_size}, std::numeric_limits<double>::quiet_NaN());
  return std::get<0>(along_rows(rows));
}

// The sequences and the values of each sample. A sequence for all samples stays one if it has one
// dimension; else every sample has rows in both.
struct BatchedSearch {
  Tensor sequence, values;
  std::optional<Tensor> sorter;
  bool has_rows = false;  // values were made a row for each sample
};

BatchedSearch batch_search(const VmapInfo& info, const Tensor& sequence, const Tensor& self,
                           const std::optional<Tensor>& sorter, size_t self_index,
                           size_t sorter_index) {
  const bool is_shared = !is_batched(info, 0) && (!sorter || !is_batched(info, sorter_index));
  const Tensor values = as_batch(info, self_index, self);
  if (is_shared && sequence.dim() == 1) return {sequence, values, sorter, false};
  BatchedSearch search{as_batch(info, 0, sequence), values, std::nullopt, false};
  if (sorter) search.sorter = as_batch(info, sorter_index, *sorter);
  if (search.sequence.dim() == 2) {
    search.values = as_rows(values);
    search.has_rows = true;
  }
  return search;
}

}  // namespace

VmapResult<Tensor> median_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(median_of_samples(info, self, [](const Tensor& rows) { return median(rows, 1); }));
}
VmapResult<Tensor> nanmedian_vmap(const VmapInfo& info, const Tensor& self) {
  return batched(
      median_of_samples(info, self, [](const Tensor& rows) { return nanmedian(rows, 1); }));
}
VmapResult<Chosen> median_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                   bool keepdim) {
  return map_along(info, self, dim, "median", [&](const Tensor& batch, int64_t along) {
    return median(batch, along, keepdim);
  });
}
VmapResult<Chosen> nanmedian_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                      bool keepdim) {
  return map_along(info, self, dim, "nanmedian", [&](const Tensor& batch, int64_t along) {
    return nanmedian(batch, along, keepdim);
  });
}
VmapResult<Chosen> kthvalue_vmap(const VmapInfo& info, const Tensor& self, const SymInt& k,
                                 int64_t dim, bool keepdim) {
  return map_along(info, self, dim, "kthvalue", [&](const Tensor& batch, int64_t along) {
    return kthvalue(batch, k, along, keepdim);
  });
}
VmapResult<Chosen> mode_vmap(const VmapInfo& info, const Tensor& self, int64_t dim, bool keepdim) {
  return map_along(info, self, dim, "mode",
                   [&](const Tensor& batch, int64_t along) { return mode(batch, along, keepdim); });
}
VmapResult<Chosen> cummax_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  return map_along(info, self, dim, "cummax",
                   [](const Tensor& batch, int64_t along) { return cummax(batch, along); });
}
VmapResult<Chosen> cummin_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  return map_along(info, self, dim, "cummin",
                   [](const Tensor& batch, int64_t along) { return cummin(batch, along); });
}
VmapResult<Tensor> searchsorted_vmap(const VmapInfo& info, const Tensor& sorted_sequence,
                                     const Tensor& self, bool out_int32, bool right,
                                     const std::optional<std::string_view>& side,
                                     const std::optional<Tensor>& sorter) {
  const BatchedSearch search = batch_search(info, sorted_sequence, self, sorter, 1, 5);
  const Tensor places =
      searchsorted(search.sequence, search.values, out_int32, right, side, search.sorter);
  if (!search.has_rows) return batched(places);
  return batched(places.reshape(sym_geometry_of(as_batch(info, 1, self)).sizes));
}
VmapResult<Tensor> searchsorted_scalar_vmap(const VmapInfo& info, const Tensor& sorted_sequence,
                                            const Scalar& self, bool out_int32, bool right,
                                            const std::optional<std::string_view>& side,
                                            const std::optional<Tensor>& sorter) {
  const DType dtype = result_dtype(sorted_sequence, self);
  const Tensor values =
      full({info.batch_size, 1}, self, dtype, std::nullopt, sorted_sequence.device());
  const Tensor sequence = as_batch(info, 0, sorted_sequence);
  return batched(
      searchsorted(sequence, values, out_int32, right, side, as_batch(info, 5, sorter)).squeeze(1));
}
VmapResult<Tensor> bucketize_vmap(const VmapInfo& info, const Tensor& self,
                                  const Tensor& boundaries, bool out_int32, bool right) {
  if (!is_batched(info, 1))
    return batched(bucketize(batch_first(info, 0, self), boundaries, out_int32, right));
  const Tensor values = as_batch(info, 0, self);
  const Tensor places =
      searchsorted(batch_first(info, 1, boundaries), as_rows(values), out_int32, right);
  return batched(places.reshape(sym_geometry_of(values).sizes));
}
VmapResult<Tensor> bucketize_scalar_vmap(const VmapInfo& info, const Scalar& self,
                                         const Tensor& boundaries, bool out_int32, bool right) {
  const Tensor sequence = batch_first(info, 1, boundaries);
  const Tensor values = full({info.batch_size, 1}, self, result_dtype(sequence, self), std::nullopt,
                             sequence.device());
  return batched(searchsorted(sequence, values, out_int32, right).squeeze(1));
}

// Other elements for each sample are compared one by one.
VmapResult<Tensor> isin_vmap(const VmapInfo& info, const Tensor& elements,
                             const Tensor& test_elements, bool assume_unique, bool invert) {
  if (!is_batched(info, 1))
    return batched(isin(batch_first(info, 0, elements), test_elements, assume_unique, invert));
  const Tensor batch = as_batch(info, 0, elements);
  const Tensor rows = as_rows(batch).unsqueeze(2);
  const Tensor others = as_rows(batch_first(info, 1, test_elements)).unsqueeze(1);
  const Tensor is_in = rows.eq(others).any(2).reshape(sym_geometry_of(batch).sizes);
  return batched(invert ? is_in.logical_not() : is_in);
}

}  // namespace opwright
