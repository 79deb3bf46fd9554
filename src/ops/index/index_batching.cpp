// vmap rules of operators that index along one dimension: gather, scatter, index_select, index_add,
// index_copy, index_fill, embedding.
//
// Samples with their own indices use gather and scatter, which index every element; out-of-range
// indices are detected there per sample.
#include <cstdint>
#include <optional>
#include <string_view>

#include "opwright/functions.h"
#include "opwright/library.h"
#include "opwright/ops/rule/batching.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// compute(batch, dim) returns a new batch.
template <class Compute>
VmapResult<Tensor> map_scatter(const VmapInfo& info, const Tensor& self, int64_t dim,
                               std::string_view who, const Compute& compute) {
  const Tensor batch = as_batch(info, 0, self);
  const Tensor lines = at_least_1d(batch);
  return batched(as_sample_of(compute(lines, shifted_dim(lines, dim, who)), batch.dim() - 1));
}
// compute(batch, dim) writes to the batch.
template <class Compute>
VmapResult<Tensor&> map_scatter_in_place(const VmapInfo& info, Tensor& self, int64_t dim,
                                         std::string_view who, const Compute& compute) {
  Tensor lines = at_least_1d(written_batch(info, 0, self));
  compute(lines, shifted_dim(lines, dim, who));
  return {self, {info.in_dims[0]}};
}

Tensor batch_lines(const VmapInfo& info, size_t index, const Tensor& tensor) {
  return at_least_1d(as_batch(info, index, tensor));
}

// Expands a row of indices per sample to an index per element: `sizes` are those of the batch that
// is indexed along `dim`, with the number of indices there.
Tensor index_of_elements(const Tensor& rows, int64_t dim, const SymSizes& sizes) {
  Tensor index = rows;
  while (index.dim() - 1 < dim) index = index.unsqueeze(1);
  while (index.dim() < static_cast<int64_t>(sizes.size())) index = index.unsqueeze(-1);
  return index.expand(sizes);
}
Tensor index_of_elements(const Tensor& batch, const Tensor& rows, int64_t dim) {
  SymSizes sizes = sym_geometry_of(batch).sizes;
  sizes[static_cast<size_t>(dim)] = rows.sym_size(1);
  return index_of_elements(rows, dim, sizes);
}

// The indices of each sample, with negative ones converted.
Tensor filled_index(const VmapInfo& info, const Tensor& batch, int64_t dim, const Tensor& index) {
  const Tensor rows = batch_lines(info, 2, index);
  const Tensor wrapped = where(rows.lt(0), rows.add(Scalar(batch.sym_size(dim))), rows);
  return index_of_elements(batch, wrapped, dim);
}
// The number of each sample, for every filled element.
Tensor filled_value(const VmapInfo& info, const Tensor& batch, const Tensor& index,
                    const Tensor& value) {
  const Tensor numbers = _to_copy(as_batch(info, 3, value), batch.dtype());
  Tensor each = numbers;
  while (each.dim() < index.dim()) each = each.unsqueeze(-1);
  return each.expand(sym_geometry_of(index).sizes);
}

}  // namespace

VmapResult<Tensor> gather_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                               const Tensor& index, bool sparse_grad) {
  const Tensor lines = batch_lines(info, 0, self);
  const Tensor rows = as_batch(info, 2, index);
  return batched(
      as_sample_of(gather(lines, shifted_dim(lines, dim, "gather"), at_least_1d(rows), sparse_grad),
                   rows.dim() - 1));
}
VmapResult<Tensor> scatter_src_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                    const Tensor& index, const Tensor& src) {
  return map_scatter(info, self, dim, "scatter", [&](const Tensor& batch, int64_t along) {
    return scatter(batch, along, batch_lines(info, 2, index), batch_lines(info, 3, src));
  });
}
VmapResult<Tensor&> scatter_src_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                              const Tensor& index, const Tensor& src) {
  return map_scatter_in_place(info, self, dim, "scatter_", [&](Tensor& batch, int64_t along) {
    batch.scatter_(along, batch_lines(info, 2, index), batch_lines(info, 3, src));
  });
}
VmapResult<Tensor> scatter_value_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                      const Tensor& index, const Scalar& value) {
  return map_scatter(info, self, dim, "scatter", [&](const Tensor& batch, int64_t along) {
    return scatter(batch, along, batch_lines(info, 2, index), value);
  });
}
VmapResult<Tensor&> scatter_value_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                                const Tensor& index, const Scalar& value) {
  return map_scatter_in_place(info, self, dim, "scatter_", [&](Tensor& batch, int64_t along) {
    batch.scatter_(along, batch_lines(info, 2, index), value);
  });
}
VmapResult<Tensor> scatter_add_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                    const Tensor& index, const Tensor& src) {
  return map_scatter(info, self, dim, "scatter_add", [&](const Tensor& batch, int64_t along) {
    return scatter_add(batch, along, batch_lines(info, 2, index), batch_lines(info, 3, src));
  });
}
VmapResult<Tensor&> scatter_add_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                              const Tensor& index, const Tensor& src) {
  return map_scatter_in_place(info, self, dim, "scatter_add_", [&](Tensor& batch, int64_t along) {
    batch.scatter_add_(along, batch_lines(info, 2, index), batch_lines(info, 3, src));
  });
}
VmapResult<Tensor> scatter_reduce_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                       const Tensor& index, const Tensor& src,
                                       std::string_view reduce, bool include_self) {
  return map_scatter(info, self, dim, "scatter_reduce", [&](const Tensor& batch, int64_t along) {
    return scatter_reduce(batch, along, batch_lines(info, 2, index), batch_lines(info, 3, src),
                          reduce, include_self);
  });
}
VmapResult<Tensor&> scatter_reduce_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                                 const Tensor& index, const Tensor& src,
                                                 std::string_view reduce, bool include_self) {
  return map_scatter_in_place(
      info, self, dim, "scatter_reduce_", [&](Tensor& batch, int64_t along) {
        batch.scatter_reduce_(along, batch_lines(info, 2, index), batch_lines(info, 3, src), reduce,
                              include_self);
      });
}

// ---- one row of indices ----
VmapResult<Tensor> index_select_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                     const Tensor& index) {
  if (!is_batched(info, 0)) {  // all rows at once
    const Tensor rows = batch_lines(info, 2, index);
    const Tensor lines = self.dim() == 0 ? self.unsqueeze(0) : self;
    const auto along =
        static_cast<int64_t>(wrap_dim(dim, static_cast<size_t>(lines.dim()), "index_select"));
    const Tensor selected = index_select(lines, along, rows.flatten());
    return batched(as_sample_of(unfold_batch(selected, along, info.batch_size), self.dim()));
  }
  return map_along(info, self, dim, "index_select", [&](const Tensor& batch, int64_t along) {
    if (!is_batched(info, 2)) return index_select(batch, along, index);
    return gather(batch, along, index_of_elements(batch, batch_lines(info, 2, index), along));
  });
}
VmapResult<Tensor> index_add_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                  const Tensor& index, const Tensor& source, const Scalar& alpha) {
  return map_scatter(info, self, dim, "index_add", [&](const Tensor& batch, int64_t along) {
    const Tensor sources = batch_lines(info, 3, source);
    if (!is_batched(info, 2)) return index_add(batch, along, index, sources, alpha);
    return scatter_add(batch, along, index_of_elements(batch, batch_lines(info, 2, index), along),
                       sources.mul(alpha).to(batch.dtype()));
  });
}
VmapResult<Tensor&> index_add_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                            const Tensor& index, const Tensor& source,
                                            const Scalar& alpha) {
  return map_scatter_in_place(info, self, dim, "index_add_", [&](Tensor& batch, int64_t along) {
    const Tensor sources = batch_lines(info, 3, source);
    if (!is_batched(info, 2)) {
      batch.index_add_(along, index, sources, alpha);
    } else {
      batch.scatter_add_(along, index_of_elements(batch, batch_lines(info, 2, index), along),
                         sources.mul(alpha).to(batch.dtype()));
    }
  });
}
VmapResult<Tensor> index_copy_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                   const Tensor& index, const Tensor& source) {
  return map_scatter(info, self, dim, "index_copy", [&](const Tensor& batch, int64_t along) {
    const Tensor sources = batch_lines(info, 3, source);
    if (!is_batched(info, 2)) return index_copy(batch, along, index, sources);
    return scatter(batch, along, index_of_elements(batch, batch_lines(info, 2, index), along),
                   sources);
  });
}
VmapResult<Tensor&> index_copy_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                             const Tensor& index, const Tensor& source) {
  return map_scatter_in_place(info, self, dim, "index_copy_", [&](Tensor& batch, int64_t along) {
    const Tensor sources = batch_lines(info, 3, source);
    if (!is_batched(info, 2)) {
      batch.index_copy_(along, index, sources);
    } else {
      batch.scatter_(along, index_of_elements(batch, batch_lines(info, 2, index), along), sources);
    }
  });
}
VmapResult<Tensor> index_fill_scalar_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                          const Tensor& index, const Scalar& value) {
  return map_scatter(info, self, dim, "index_fill", [&](const Tensor& batch, int64_t along) {
    if (!is_batched(info, 2)) return index_fill(batch, along, index, value);
    return scatter(batch, along, filled_index(info, batch, along, index), value);
  });
}
VmapResult<Tensor&> index_fill_scalar_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                                    const Tensor& index, const Scalar& value) {
  return map_scatter_in_place(info, self, dim, "index_fill_", [&](Tensor& batch, int64_t along) {
    if (!is_batched(info, 2)) {
      batch.index_fill_(along, index, value);
    } else {
      batch.scatter_(along, filled_index(info, batch, along, index), value);
    }
  });
}
VmapResult<Tensor> index_fill_tensor_vmap(const VmapInfo& info, const Tensor& self, int64_t dim,
                                          const Tensor& index, const Tensor& value) {
  return map_scatter(info, self, dim, "index_fill", [&](const Tensor& batch, int64_t along) {
    if (!is_batched(info, 2) && !is_batched(info, 3)) return index_fill(batch, along, index, value);
    const Tensor places = filled_index(info, batch, along, index);
    return scatter(batch, along, places, filled_value(info, batch, places, value));
  });
}
VmapResult<Tensor&> index_fill_tensor_in_place_vmap(const VmapInfo& info, Tensor& self, int64_t dim,
                                                    const Tensor& index, const Tensor& value) {
  return map_scatter_in_place(info, self, dim, "index_fill_", [&](Tensor& batch, int64_t along) {
    if (!is_batched(info, 2) && !is_batched(info, 3)) {
      batch.index_fill_(along, index, value);
    } else {
      const Tensor places = filled_index(info, batch, along, index);
      batch.scatter_(along, places, filled_value(info, batch, places, value));
    }
  });
}

// ---- embedding ----
VmapResult<Tensor> embedding_vmap(const VmapInfo& info, const Tensor& weight, const Tensor& indices,
                                  const SymInt& padding_idx, bool scale_grad_by_freq, bool sparse) {
  const Tensor places = batch_first(info, 1, indices);
  if (!is_batched(info, 0))
    return batched(embedding(weight, places, padding_idx, scale_grad_by_freq, sparse));
  const Tensor tables = batch_first(info, 0, weight);
  const SymInt width = tables.sym_size(2);
  const Tensor rows =
      is_batched(info, 1)
          ? gather(tables, 1, index_of_elements(tables, as_rows(places), 1))
          : index_select(tables, 1, places.dim() == 0 ? places.unsqueeze(0) : places.flatten());
  SymSizes sizes = is_batched(info, 1) ? sample_sizes(places) : sym_geometry_of(places).sizes;
  sizes.push_back(width);
  return batched(rows.reshape(with_batch(info.batch_size, sizes)));
}
// Every sample adds to its own table.
VmapResult<Tensor> embedding_dense_backward_vmap(const VmapInfo& info, const Tensor& grad_output,
                                                 const Tensor& indices, const SymInt& num_weights,
                                                 const SymInt& padding_idx,
                                                 bool scale_grad_by_freq) {
  const Tensor grads = as_batch(info, 0, grad_output);
  const SymInt width = grads.sym_size(-1);
  const Tensor rows = _to_copy(as_rows(as_batch(info, 1, indices)), DType::Int64);
  Tensor terms = grads.reshape({info.batch_size, rows.sym_size(1), width});
  if (scale_grad_by_freq) {
    const Tensor none = rows.new_zeros({info.batch_size, num_weights});
    const Tensor counts = gather(scatter_add(none, 1, rows, ones_like(rows)), 1, rows);
    terms = terms.div(_to_copy(counts.unsqueeze(-1), terms.dtype()));
  }
  if (!guard_or_false(padding_idx < 0))
    terms = terms.masked_fill(rows.eq(Scalar(padding_idx)).unsqueeze(-1), 0);
  const Tensor tables = grads.new_zeros({info.batch_size, num_weights, width});
  return batched(scatter_add(tables, 1, index_of_elements(terms, rows, 1), terms));
}

// Without num_classes, the largest class over all samples counts.
VmapResult<Tensor> one_hot_vmap(const VmapInfo& info, const Tensor& self, int64_t num_classes) {
  return in_place_of_first(info, one_hot(self, num_classes));
}

}  // namespace opwright
