#include "opwright/ops/rule/batching.h"

#include <algorithm>

#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright {

Tensor batch_first(const Tensor& tensor, const std::optional<int64_t>& dim) {
  return dim.value_or(0) == 0 ? tensor : tensor.movedim(*dim, 0);
}

Tensor as_batch(const SymInt& batch_size, const Tensor& tensor, const std::optional<int64_t>& dim) {
  if (dim) return batch_first(tensor, dim);
  return tensor.expand(with_batch(batch_size, sym_geometry_of(tensor).sizes));
}

Tensor written_batch(const VmapInfo& info, size_t index, const Tensor& tensor) {
  OPWRIGHT_CHECK(is_batched(info, index),
                 "vmap: a tensor without a batch dimension cannot be written with values that have "
                 "one; make it inside the mapped function or map over it");
  return batch_first(info, index, tensor);
}

Tensor as_batch_of(const VmapInfo& info, size_t count, const Tensor& result) {
  for (size_t i = 0; i < count; ++i) {
    if (is_batched(info, i)) return result;
  }
  return as_batch(info.batch_size, result, std::nullopt);
}

Tensor& write_out(const VmapInfo& info, size_t index, Tensor& out, const Tensor& result) {
  const SymSizes sizes = sample_sizes(result);
  Tensor batch = written_batch(info, index, out);
  if (!has_sizes(batch, with_batch(info.batch_size, sizes))) {
    const SymSizes own = sample_sizes(batch);
    const auto place = static_cast<size_t>(*info.in_dims[index]);
    OPWRIGHT_CHECK(guard_or_false(product(own) == 0) && place <= sizes.size(),
                   "out must have the sizes of the result, ", to_text(sizes),
                   ", or no elements, got ", to_text(own));
    SymSizes resized = sizes;
    resized.insert(resized.begin() + static_cast<ptrdiff_t>(place), info.batch_size);
    out.resize_(resized);
    batch = batch_first(info, index, out);
  }
  batch.copy_(result);
  return out;
}

SymSizes sample_sizes(const Tensor& batch) {
  SymSizes sizes;
  for (int64_t i = 1; i < batch.dim(); ++i) sizes.push_back(batch.sym_size(i));
  return sizes;
}

SymSizes with_batch(const SymInt& batch_size, std::span<const SymInt> sizes) {
  SymSizes all{batch_size};
  for (const SymInt& size : sizes) all.push_back(size);
  return all;
}

SymInt extent_of(std::span<const SymInt> sizes, std::span<const SymInt> strides) {
  if (std::ranges::any_of(sizes, [](const SymInt& size) { return guard_or_false(size == 0); }))
    return 0;
  SymInt extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i) extent = extent + (sizes[i] - 1) * strides[i];
  return extent;
}

int64_t shifted_dim(const Tensor& batch, int64_t dim, std::string_view who) {
  return static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(batch.dim() - 1), who)) + 1;
}

std::vector<int64_t> shifted_dims(const Tensor& batch, std::span<const int64_t> dims,
                                  std::string_view who) {
  std::vector<int64_t> shifted;
  shifted.reserve(dims.size());
  for (const int64_t dim : dims) shifted.push_back(shifted_dim(batch, dim, who));
  return shifted;
}

std::vector<int64_t> sample_dims(const Tensor& batch) {
  std::vector<int64_t> dims;
  for (int64_t i = 1; i < batch.dim(); ++i) dims.push_back(i);
  return dims;
}

Tensor at_least_1d(const Tensor& batch) { return batch.dim() == 1 ? batch.unsqueeze(1) : batch; }

Tensor as_sample_of(const Tensor& result, int64_t ndim) {
  return ndim == 0 && result.dim() == 2 ? result.squeeze(1) : result;
}

Tensor with_sample_ndim(const Tensor& batch, int64_t ndim) {
  OPWRIGHT_CHECK_VALUE(batch.dim() - 1 <= ndim, "vmap: a sample of sizes ",
                       to_text(sample_sizes(batch)), " does not broadcast to ", ndim,
                       " dimensions");
  Tensor padded = batch;
  while (padded.dim() - 1 < ndim) padded = padded.unsqueeze(1);
  return padded;
}

Tensor as_rows(const Tensor& batch) { return at_least_1d(batch).flatten(1); }

std::vector<Tensor> aligned(const VmapInfo& info, std::initializer_list<Tensor> tensors) {
  std::vector<Tensor> batches;
  int64_t ndim = 0;
  for (const Tensor& tensor : tensors) {
    const size_t index = batches.size();
    batches.push_back(batch_first(info, index, tensor));
    ndim = std::max(ndim, tensor.dim() - (is_batched(info, index) ? 1 : 0));
  }
  for (size_t i = 0; i < batches.size(); ++i) {
    if (is_batched(info, i)) batches[i] = with_sample_ndim(batches[i], ndim);
  }
  return batches;
}

Tensor fold_batch(const Tensor& batch, int64_t dim) {
  return batch.movedim(0, dim).flatten(dim, dim + 1);
}

Tensor unfold_batch(const Tensor& folded, int64_t dim, const SymInt& batch_size) {
  if (!folded.is_defined()) return folded;
  SymSizes sizes = sym_geometry_of(folded).sizes;
  const auto place = static_cast<size_t>(dim);
  const SymInt each = sizes[place] / batch_size;
  SymSizes parted;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i == place) parted.push_back(batch_size);
    parted.push_back(i == place ? each : sizes[i]);
  }
  return folded.reshape(parted).movedim(dim, 0);
}

Tensor batch_offsets(const VmapInfo& info, const SymInt& step, int64_t ndim, const Tensor& like) {
  const Tensor numbers =
      arange(info.batch_size, DType::Int64, std::nullopt, like.device()) * Scalar(step);
  Tensor offsets = numbers;
  for (int64_t i = 0; i < ndim; ++i) offsets = offsets.unsqueeze(-1);
  return offsets;
}

}  // namespace opwright
