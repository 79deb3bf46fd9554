// vmap rules of views: the same view of every sample is one view of the batch.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Views = std::vector<Tensor>;

// `size` with -1 resolved for one sample, after the batch size.
SymSizes batch_view_sizes(const VmapInfo& info, const Tensor& batch, std::span<const SymInt> size) {
  return with_batch(info.batch_size, infer_size(size, product(sample_sizes(batch)), "view"));
}

int64_t count_sample_dims(const Tensor& batch) { return batch.dim() - 1; }

}  // namespace

VmapResult<Tensor> view_vmap(const VmapInfo& info, const Tensor& self,
                             std::span<const SymInt> size) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(batch.view(batch_view_sizes(info, batch, size)));
}
VmapResult<Tensor> unsafe_view_vmap(const VmapInfo& info, const Tensor& self,
                                    std::span<const SymInt> size) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(_unsafe_view(batch, batch_view_sizes(info, batch, size)));
}
VmapResult<Tensor> transpose_vmap(const VmapInfo& info, const Tensor& self, int64_t dim0,
                                  int64_t dim1) {
  return map_along(info, self, dim0, "transpose", [&](const Tensor& batch, int64_t first) {
    return batch.transpose(first, shifted_dim(batch, dim1, "transpose"));
  });
}
VmapResult<Tensor> t_vmap(const VmapInfo& info, const Tensor& self) {
  const Tensor batch = batch_first(info, 0, self);
  OPWRIGHT_CHECK(count_sample_dims(batch) <= 2, "t: self must have at most 2 dimensions, got ",
                 count_sample_dims(batch));
  return batched(batch.dim() == 3 ? batch.transpose(1, 2) : alias(batch));
}
VmapResult<Tensor> expand_vmap(const VmapInfo& info, const Tensor& self,
                               std::span<const SymInt> size, bool implicit) {
  const Tensor batch =
      with_sample_ndim(batch_first(info, 0, self), static_cast<int64_t>(size.size()));
  return batched(batch.expand(with_batch(info.batch_size, size), implicit));
}
VmapResult<Tensor> select_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                               const SymInt& index) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(batch.select(shifted_dim(batch, dim, "select"), index));
}
VmapResult<Tensor> slice_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                              const std::optional<SymInt>& start, const std::optional<SymInt>& end,
                              const SymInt& step) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(slice(batch, shifted_dim(batch, dim, "slice"), start, end, step));
}
VmapResult<Tensor> permute_vmap(const VmapInfo& info, const Tensor& self,
                                std::span<const int64_t> dims) {
  const Tensor batch = batch_first(info, 0, self);
  std::vector<int64_t> order = shifted_dims(batch, dims, "permute");
  order.insert(order.begin(), 0);
  return batched(batch.permute(order));
}
VmapResult<Tensor> squeeze_vmap(const VmapInfo& info, const Tensor& self) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(batch.squeeze(sample_dims(batch)));
}
VmapResult<Tensor> squeeze_dim_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  return map_along(info, self, dim, "squeeze",
                   [](const Tensor& batch, int64_t along) { return batch.squeeze(along); });
}
VmapResult<Tensor> squeeze_dims_vmap(const VmapInfo& info, const Tensor& self,
                                     std::span<const int64_t> dim) {
  const Tensor batch = at_least_1d(batch_first(info, 0, self));
  return batched(as_sample_of(batch.squeeze(shifted_dims(batch, dim, "squeeze")), self.dim() - 1));
}
VmapResult<Tensor> unsqueeze_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(batch.unsqueeze(
      static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(batch.dim()), "unsqueeze")) + 1));
}
// Every sample has the offset of the first one: the batch's stride leads to the others. A view that
// leaves the sample's memory would show elements of other samples.
VmapResult<Tensor> as_strided_vmap(const VmapInfo& info, const Tensor& self,
                                   std::span<const SymInt> size, std::span<const SymInt> stride,
                                   const std::optional<SymInt>& storage_offset) {
  const Tensor batch = batch_first(info, 0, self);
  const SymGeometry own = sym_geometry_of(batch);
  const SymInt shift = storage_offset.value_or(own.offset) - own.offset;
  const std::span<const SymInt> sizes(own.sizes);
  const std::span<const SymInt> strides(own.strides);
  OPWRIGHT_CHECK(
      product(size) == 0 || (shift >= 0 && shift + extent_of(size, stride) <=
                                               extent_of(sizes.subspan(1), strides.subspan(1))),
      "as_strided: inside vmap, the view can access memory outside of its sample\n  Use other "
      "views "
      "(select, slice, unfold, transpose) instead of as_strided.");
  return batched(batch.as_strided(with_batch(info.batch_size, size),
                                  with_batch(batch.sym_stride(0), stride), storage_offset));
}
VmapResult<Tensor> alias_vmap(const VmapInfo& info, const Tensor& self) {
  return in_place_of_first(info, alias(self));
}
VmapResult<Tensor> detach_vmap(const VmapInfo& info, const Tensor& self) {
  return in_place_of_first(info, self.detach());
}
VmapResult<Tensor> diagonal_vmap(const VmapInfo& info, const Tensor& self, int64_t offset,
                                 int64_t dim1, int64_t dim2) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(batch.diagonal(offset, shifted_dim(batch, dim1, "diagonal"),
                                shifted_dim(batch, dim2, "diagonal")));
}
VmapResult<Tensor> unfold_vmap(const VmapInfo& info, const Tensor& self, int64_t dimension,
                               int64_t size, int64_t step) {
  const Tensor batch = batch_first(info, 0, self);
  const Tensor lines = at_least_1d(batch);
  const Tensor windows = lines.unfold(shifted_dim(lines, dimension, "unfold"), size, step);
  return batched(batch.dim() == 1 ? windows.squeeze(1) : windows);
}
VmapResult<Views> split_with_sizes_vmap(const VmapInfo& info, const Tensor& self,
                                        std::span<const SymInt> split_sizes, int64_t dim) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(split_with_sizes(batch, split_sizes, shifted_dim(batch, dim, "split_with_sizes")));
}
VmapResult<Views> split_vmap(const VmapInfo& info, const Tensor& self, const SymInt& split_size,
                             int64_t dim) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(split(batch, split_size, shifted_dim(batch, dim, "split")));
}
VmapResult<Views> unbind_vmap(const VmapInfo& info, const Tensor& self, int64_t dim) {
  const Tensor batch = batch_first(info, 0, self);
  return batched(unbind(batch, shifted_dim(batch, dim, "unbind")));
}

// ---- scatters ----
VmapResult<Tensor> select_scatter_vmap(const VmapInfo& info, const Tensor& self, const Tensor& src,
                                       int64_t dim, const SymInt& index) {
  const Tensor batch = as_batch(info, 0, self);
  return batched(select_scatter(batch, as_batch(info, 1, src),
                                shifted_dim(batch, dim, "select_scatter"), index));
}
VmapResult<Tensor> slice_scatter_vmap(const VmapInfo& info, const Tensor& self, const Tensor& src,
                                      int64_t dim, const std::optional<SymInt>& start,
                                      const std::optional<SymInt>& end, const SymInt& step) {
  const Tensor batch = as_batch(info, 0, self);
  return batched(slice_scatter(batch, as_batch(info, 1, src),
                               shifted_dim(batch, dim, "slice_scatter"), start, end, step));
}
VmapResult<Tensor> diagonal_scatter_vmap(const VmapInfo& info, const Tensor& self,
                                         const Tensor& src, int64_t offset, int64_t dim1,
                                         int64_t dim2) {
  const Tensor batch = as_batch(info, 0, self);
  return batched(diagonal_scatter(batch, as_batch(info, 1, src), offset,
                                  shifted_dim(batch, dim1, "diagonal_scatter"),
                                  shifted_dim(batch, dim2, "diagonal_scatter")));
}
// The strides refer to the memory of self, so a self without a batch is copied with its own
// strides.
VmapResult<Tensor> as_strided_scatter_vmap(const VmapInfo& info, const Tensor& self,
                                           const Tensor& src, std::span<const SymInt> size,
                                           std::span<const SymInt> stride,
                                           const std::optional<SymInt>& storage_offset) {
  const SymGeometry own = sym_geometry_of(self);
  const SymInt offset = storage_offset.value_or(own.offset);
  Tensor batch = batch_first(info, 0, self);
  if (!is_batched(info, 0)) {
    batch = self.new_empty_strided(with_batch(info.batch_size, own.sizes),
                                   with_batch(extent_of(own.sizes, own.strides), own.strides));
    batch.copy_(self);
  }
  const SymInt from = sym_geometry_of(batch).offset + offset - own.offset;
  return batched(as_strided_scatter(batch, as_batch(info, 1, src),
                                    with_batch(info.batch_size, size),
                                    with_batch(batch.sym_stride(0), stride), from));
}

}  // namespace opwright
