// Views with other dimensions: the diagonal, windows, and merged, split and moved dimensions.
#include <cstdint>
#include <span>
#include <string>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/engine/shape/reduction_shape.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

namespace {

SymGeometry unfold_geometry(SymGeometry geometry, int64_t dimension, int64_t size, int64_t step) {
  const bool has_no_dims = geometry.sizes.empty();
  if (has_no_dims) {  // treated as one-dimensional, as in PyTorch
    geometry.sizes.push_back(1);
    geometry.strides.push_back(1);
  }
  const size_t along = wrap_dim(dimension, geometry.sizes.size(), "unfold");
  const SymInt whole = geometry.sizes[along];
  std::string problem = "unfold: size " + std::to_string(size) + " must be between 0 and the size ";
  append_text(problem, whole);
  problem += " of dimension " + std::to_string(along);
  OPWRIGHT_CHECK(size >= 0, problem);
  OPWRIGHT_CHECK(step > 0, "unfold: step must be at least 1, got ", step);
  check(whole >= size, problem);
  geometry.sizes.push_back(size);
  geometry.strides.push_back(geometry.strides[along]);
  geometry.sizes[along] = (whole - size) / SymInt(step) + 1;
  geometry.strides[along] = geometry.strides[along] * SymInt(step);
  if (has_no_dims) {
    geometry.sizes.erase(geometry.sizes.begin());
    geometry.strides.erase(geometry.strides.begin());
  }
  return geometry;
}

}  // namespace

Tensor diagonal_all_devices(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const auto ndim = static_cast<size_t>(self.dim());
  const size_t first = wrap_dim(dim1, ndim, "diagonal");
  const size_t second = wrap_dim(dim2, ndim, "diagonal");
  OPWRIGHT_CHECK(first != second, "diagonal: dim1 and dim2 must be two dimensions, both are ",
                 first, " of self with sizes ", to_text(sym_geometry_of(self).sizes));
  const SymGeometry base = sym_geometry_of(self);
  SymGeometry result{.sizes = {}, .strides = {}, .offset = base.offset};
  for (size_t i = 0; i < ndim; ++i) {
    if (i == first || i == second) continue;
    result.sizes.push_back(base.sizes[i]);
    result.strides.push_back(base.strides[i]);
  }
  // A diagonal outside the matrix is empty, so the offset does not matter.
  const bool is_above = offset >= 0;
  const int64_t distance = std::max<int64_t>(is_above ? offset : -offset, 0);
  const SymInt rows = is_above ? base.sizes[first] : base.sizes[first] - distance;
  const SymInt columns = is_above ? base.sizes[second] - distance : base.sizes[second];
  const SymInt length = sym_max(sym_min(rows, columns), 0);
  if (!guard_or_false(length == 0))
    result.offset = result.offset + SymInt(distance) * base.strides[is_above ? second : first];
  result.sizes.push_back(length);
  result.strides.push_back(base.strides[first] + base.strides[second]);
  return make_view(self, result);
}

Tensor diagonal_view_scatter(const Tensor& base, const Tensor& value, int64_t offset, int64_t dim1,
                             int64_t dim2) {
  return diagonal_scatter(base, value, offset, dim1, dim2);
}

Tensor squeeze_dims_all_devices(const Tensor& self, std::span<const int64_t> dim) {
  SymGeometry geometry = sym_geometry_of(self);
  if (dim.empty()) return make_view(self, geometry);
  const DimSet squeezed = fold_dims("squeeze", self.dim(), dim);
  for (int64_t i = self.dim() - 1; i >= 0; --i) {
    if (squeezed[static_cast<size_t>(i)])
      geometry = squeeze_geometry(std::move(geometry), i, "squeeze");
  }
  return make_view(self, geometry);
}
Tensor squeeze_dims_scatter(const Tensor& base, const Tensor& value, std::span<const int64_t> dim) {
  if (dim.empty()) return value;
  const DimSet squeezed = fold_dims("squeeze", base.dim(), dim);
  Tensor restored = value;
  for (int64_t i = 0; i < base.dim(); ++i) {
    if (squeezed[static_cast<size_t>(i)] && guard_or_false(base.sym_size(i) == 1))
      restored = restored.unsqueeze(i);
  }
  return restored;
}

// Windows of `size` elements, `step` apart, as a new last dimension.
Tensor unfold_all_devices(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return make_view(self, unfold_geometry(sym_geometry_of(self), dimension, size, step));
}
Tensor unfold_scatter(const Tensor& base, const Tensor& value, int64_t dimension, int64_t size,
                      int64_t step) {
  const SymGeometry view = unfold_geometry(sym_geometry_of(base), dimension, size, step);
  return as_strided_scatter(base, value, view.sizes, view.strides, view.offset);
}

Tensor flatten_composite(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const auto ndim = static_cast<size_t>(self.dim() == 0 ? 1 : self.dim());
  const size_t start = wrap_dim(start_dim, ndim, "flatten");
  const size_t end = wrap_dim(end_dim, ndim, "flatten");
  OPWRIGHT_CHECK(start <= end, "flatten: start_dim ", start_dim, " comes after end_dim ", end_dim,
                 " in self with sizes ", to_text(sym_geometry_of(self).sizes));
  if (self.dim() == 0) return self.reshape({1});
  if (start == end) return self;
  const SymSizes sizes = sym_geometry_of(self).sizes;
  SymSizes joined;
  SymInt length = 1;
  for (size_t i = 0; i < ndim; ++i) {
    if (i >= start && i <= end) length = length * sizes[i];
    if (i < start || i > end) joined.push_back(sizes[i]);
    if (i == end) joined.push_back(length);
  }
  return self.reshape(joined);
}

Tensor unflatten_composite(const Tensor& self, int64_t dim, std::span<const SymInt> sizes) {
  OPWRIGHT_CHECK(!sizes.empty(), "unflatten: sizes must name at least one size");
  const size_t along = wrap_dim(dim, static_cast<size_t>(self.dim()), "unflatten");
  SymSizes parted;
  for (size_t i = 0; i < static_cast<size_t>(self.dim()); ++i) {
    const SymInt size = self.sym_size(static_cast<int64_t>(i));
    if (i != along) {
      parted.push_back(size);
    } else {
      for (const SymInt& part : infer_size(sizes, size, "unflatten")) parted.push_back(part);
    }
  }
  return self.view(parted);
}

Tensor movedim_composite(const Tensor& self, std::span<const int64_t> source,
                         std::span<const int64_t> destination) {
  OPWRIGHT_CHECK_VALUE(source.size() == destination.size(), "movedim: source ", to_text(source),
                       " and destination ", to_text(destination), " must be of the same length");
  if (source.empty()) return self;
  const auto ndim = static_cast<size_t>(self.dim());
  const DimSet moved = fold_dims("movedim", self.dim(), source);
  (void)fold_dims("movedim", self.dim(), destination);
  if (ndim == 0) return self;
  SmallVector<int64_t, kInlineDims> order(ndim, -1);
  for (size_t i = 0; i < source.size(); ++i)
    order[wrap_dim(destination[i], ndim, "movedim")] =
        static_cast<int64_t>(wrap_dim(source[i], ndim, "movedim"));
  size_t next = 0;
  for (int64_t& dim : order) {
    if (dim >= 0) continue;
    while (moved[next]) ++next;
    dim = static_cast<int64_t>(next++);
  }
  return self.permute(order);
}

Tensor movedim_int_composite(const Tensor& self, int64_t source, int64_t destination) {
  return movedim_composite(self, {&source, 1}, {&destination, 1});
}

Tensor swapdims_composite(const Tensor& self, int64_t dim0, int64_t dim1) {
  return self.transpose(dim0, dim1);
}

Tensor swapaxes_composite(const Tensor& self, int64_t axis0, int64_t axis1) {
  return self.transpose(axis0, axis1);
}

Tensor expand_as_composite(const Tensor& self, const Tensor& other) {
  return self.expand(sym_geometry_of(other).sizes);
}

Tensor broadcast_to_composite(const Tensor& self, std::span<const SymInt> size) {
  return self.expand(size);
}

Tensor view_as_composite(const Tensor& self, const Tensor& other) {
  return self.view(sym_geometry_of(other).sizes);
}

Tensor reshape_as_composite(const Tensor& self, const Tensor& other) {
  return self.reshape(sym_geometry_of(other).sizes);
}

}  // namespace opwright
