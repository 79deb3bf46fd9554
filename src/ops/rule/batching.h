// Building blocks of vmap rules: move the batch dimension first, convert a sample's dimensions to
// the batch's, merge the batch into another dimension and split it off again.
//
// VmapInfo says which arguments of a rule have a batch dimension and where. `index` is the position
// of an argument in the schema.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

[[nodiscard]] inline bool is_batched(const VmapInfo& info, size_t index) {
  return info.in_dims[index].has_value();
}

// The tensor with its batch dimension first; unchanged if it has none.
[[nodiscard]] Tensor batch_first(const Tensor& tensor, const std::optional<int64_t>& dim);
[[nodiscard]] inline Tensor batch_first(const VmapInfo& info, size_t index, const Tensor& tensor) {
  return batch_first(tensor, info.in_dims[index]);
}
// The same, but expanded (without a copy) if it has none.
[[nodiscard]] Tensor as_batch(const SymInt& batch_size, const Tensor& tensor,
                              const std::optional<int64_t>& dim);
[[nodiscard]] inline Tensor as_batch(const VmapInfo& info, size_t index, const Tensor& tensor) {
  return as_batch(info.batch_size, tensor, info.in_dims[index]);
}
[[nodiscard]] inline std::optional<Tensor> as_batch(const VmapInfo& info, size_t index,
                                                    const std::optional<Tensor>& tensor) {
  return tensor ? std::optional(as_batch(info, index, *tensor)) : std::nullopt;
}
// The batch of an argument that the operator writes, as a view. RuntimeError if it has none.
[[nodiscard]] Tensor written_batch(const VmapInfo& info, size_t index, const Tensor& tensor);

// A result computed from the first `count` arguments, expanded to a batch if none of them has one.
[[nodiscard]] Tensor as_batch_of(const VmapInfo& info, size_t count, const Tensor& result);
// Writes a batch of results to an `out` argument. RuntimeError unless it has the same sizes or no
// elements.
Tensor& write_out(const VmapInfo& info, size_t index, Tensor& out, const Tensor& result);

// The number of dimensions of one sample.
[[nodiscard]] inline int64_t sample_ndim(const VmapInfo& info, size_t index, const Tensor& tensor) {
  return tensor.dim() - (is_batched(info, index) ? 1 : 0);
}
// The sizes of one sample of a batch, and the same with the batch size in front.
[[nodiscard]] SymSizes sample_sizes(const Tensor& batch);
[[nodiscard]] SymSizes with_batch(const SymInt& batch_size, std::span<const SymInt> sizes);

// The number of elements of memory from the first to the last element; 0 without elements.
[[nodiscard]] SymInt extent_of(std::span<const SymInt> sizes, std::span<const SymInt> strides);

// Converts dimensions of one sample to dimensions of the batch. Zero-dim samples count as having
// one dimension, so the batch must be at_least_1d.
[[nodiscard]] int64_t shifted_dim(const Tensor& batch, int64_t dim, std::string_view who);
[[nodiscard]] std::vector<int64_t> shifted_dims(const Tensor& batch, std::span<const int64_t> dims,
                                                std::string_view who);
// All dimensions of a sample, as dimensions of the batch.
[[nodiscard]] std::vector<int64_t> sample_dims(const Tensor& batch);

// Adds a dimension of size 1 to zero-dim samples.
[[nodiscard]] Tensor at_least_1d(const Tensor& batch);
// Undoes at_least_1d: `ndim` is the number of dimensions of one sample of the result.
[[nodiscard]] Tensor as_sample_of(const Tensor& result, int64_t ndim);
// Inserts dimensions of size 1 after the batch until a sample has `ndim`. ValueError if it has
// more.
[[nodiscard]] Tensor with_sample_ndim(const Tensor& batch, int64_t ndim);
// Reshapes a batch to one row per sample.
[[nodiscard]] Tensor as_rows(const Tensor& batch);

// Makes tensors broadcast like their samples: moves batches first and gives them as many dimensions
// as the largest; tensors without a batch are unchanged.
[[nodiscard]] std::vector<Tensor> aligned(const VmapInfo& info,
                                          std::initializer_list<Tensor> tensors);

// [batch, ..., size at dim, ...] to [..., batch * size, ...]: `dim` is a dimension of a sample.
[[nodiscard]] Tensor fold_batch(const Tensor& batch, int64_t dim);
[[nodiscard]] inline std::optional<Tensor> fold_batch(const std::optional<Tensor>& batch,
                                                      int64_t dim) {
  return batch ? std::optional(fold_batch(*batch, dim)) : std::nullopt;
}
// Undoes fold_batch, with the batch first; an undefined result stays undefined.
[[nodiscard]] Tensor unfold_batch(const Tensor& folded, int64_t dim, const SymInt& batch_size);
template <class... T>
[[nodiscard]] std::tuple<T...> unfold_batch(const std::tuple<T...>& folded, int64_t dim,
                                            const SymInt& batch_size) {
  return std::apply(
      [&](const auto&... each) { return std::tuple(unfold_batch(each, dim, batch_size)...); },
      folded);
}

// 0, step, 2 step, ...: one number per sample, as a batch of samples with `ndim` dimensions.
[[nodiscard]] Tensor batch_offsets(const VmapInfo& info, const SymInt& step, int64_t ndim,
                                   const Tensor& like);

// Results with the batch dimension first; undefined ones have none.
template <class R>
[[nodiscard]] VmapResult<R> batched(R results) {
  return {std::move(results), {0}};
}
template <class... T>
[[nodiscard]] VmapResult<std::tuple<T...>> batched(std::tuple<T...> results) {
  const auto dim_of = [](const Tensor& result) {
    return result.is_defined() ? std::optional<int64_t>(0) : std::nullopt;
  };
  auto dims = std::apply(
      [&](const T&... each) { return std::vector<std::optional<int64_t>>{dim_of(each)...}; },
      results);
  return {std::move(results), std::move(dims)};
}
// A result whose batch dimension is that of the first argument.
[[nodiscard]] inline VmapResult<Tensor> in_place_of_first(const VmapInfo& info, Tensor result) {
  return {std::move(result), {info.in_dims[0]}};
}

// ---- Patterns: `compute` calls the operator once ----

template <class... T>
[[nodiscard]] std::tuple<T...> as_sample_of(const std::tuple<T...>& results, int64_t ndim) {
  return std::apply([&](const auto&... each) { return std::tuple(as_sample_of(each, ndim)...); },
                    results);
}

// compute(batch, dim): along one dimension of the first argument; results have as many dimensions
// or one fewer.
template <class Compute>
[[nodiscard]] auto map_along(const VmapInfo& info, const Tensor& self, int64_t dim,
                             std::string_view who, const Compute& compute) {
  const Tensor batch = batch_first(info, 0, self);
  const Tensor lines = at_least_1d(batch);
  return batched(as_sample_of(compute(lines, shifted_dim(lines, dim, who)), batch.dim() - 1));
}

// compute(batch, dims): over some dimensions of the first argument, all if none are given.
template <class Compute>
[[nodiscard]] auto map_over(const VmapInfo& info, const Tensor& self,
                            const std::optional<std::span<const int64_t>>& dims,
                            std::string_view who, const Compute& compute) {
  const Tensor batch = batch_first(info, 0, self);
  const Tensor lines = at_least_1d(batch);
  const bool names_all = !dims || dims->empty();
  const std::vector<int64_t> folded =
      names_all ? sample_dims(lines) : shifted_dims(lines, *dims, who);
  return batched(as_sample_of(compute(lines, folded), batch.dim() - 1));
}

// compute(images...): the samples are images of `ndim` dimensions or batches of them; the vmap
// batch is merged into that batch, or becomes it.
template <class Compute, class... Images>
[[nodiscard]] auto map_images(const VmapInfo& info, int64_t ndim, const Compute& compute,
                              const Images&... images) {
  const auto& first = std::get<0>(std::tie(images...));
  if (first.dim() == ndim + 1) return batched(compute(images...));
  return batched(unfold_batch(compute(fold_batch(images, 0)...), 0, info.batch_size));
}

}  // namespace opwright
