// View operators, on every device and for fake tensors, and their scatter rules: the base after a
// write to the view, computed without writing.
#include "opwright/tensor/view.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

// Adds the dimension back to the value that squeeze removed from the base.
Tensor unsqueeze_as(const Tensor& base, const Tensor& value, int64_t dim) {
  return guard_or_false(base.sym_size(dim) == 1) ? value.unsqueeze(dim) : value;
}

}  // namespace

Tensor view_all_devices(const Tensor& self, std::span<const SymInt> size) {
  const SymGeometry base = sym_geometry_of(self);
  SymSizes sizes = infer_size(size, self.sym_numel(), "view");
  std::optional<SymSizes> strides = view_strides(base.sizes, base.strides, sizes);
  OPWRIGHT_CHECK_VALUE(strides.has_value(), "view: sizes ", to_text(base.sizes), " with strides ",
                       to_text(base.strides), " cannot be seen as ", to_text(sizes),
                       " without a copy; use reshape");
  return make_view(self, sizes, *strides, base.offset);
}
Tensor view_scatter(const Tensor& base, const Tensor& value, std::span<const SymInt> /*size*/) {
  return value.reshape(sym_geometry_of(base).sizes);
}

Tensor transpose_all_devices(const Tensor& self, int64_t dim0, int64_t dim1) {
  return make_view(self, transpose_geometry(sym_geometry_of(self), dim0, dim1, "transpose"));
}
Tensor transpose_scatter(const Tensor& /*base*/, const Tensor& value, int64_t dim0, int64_t dim1) {
  return value.transpose(dim0, dim1);
}

Tensor t_all_devices(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() <= 2, "t: self must have at most 2 dimensions, got sizes ",
                 to_text(sym_geometry_of(self).sizes));
  return make_view(self, transpose_geometry(sym_geometry_of(self), 0, self.dim() < 2 ? 0 : 1, "t"));
}
Tensor t_scatter(const Tensor& /*base*/, const Tensor& value) { return value.t(); }

Tensor expand_all_devices(const Tensor& self, std::span<const SymInt> size, bool /*implicit*/) {
  return make_view(self, expand_geometry(sym_geometry_of(self), size, "expand"));
}
// Only if nothing was repeated does each element of the value have its own element in the base.
Tensor expand_scatter(const Tensor& base, const Tensor& value, std::span<const SymInt> /*size*/,
                      bool /*implicit*/) {
  if (guard_or_false(value.sym_numel() == 0)) return base;
  const int64_t added = value.dim() - base.dim();
  for (int64_t i = 0; i < value.dim(); ++i) {
    const SymInt had = i < added ? SymInt(1) : base.sym_size(i - added);
    OPWRIGHT_CHECK(guard_or_false(value.sym_size(i) == had), "expand: elements of a view of sizes ",
                   to_text(sym_geometry_of(value).sizes), " are the same memory of a tensor of ",
                   to_text(sym_geometry_of(base).sizes),
                   ", so it cannot be written; clone it first");
  }
  Tensor restored = value;
  for (int64_t i = 0; i < added; ++i) restored = restored.squeeze(0);
  return restored;
}

Tensor select_all_devices(const Tensor& self, int64_t dim, const SymInt& index) {
  OPWRIGHT_CHECK_INDEX(self.dim() > 0, "select: a tensor of zero dimensions has nothing to select");
  return make_view(self, select_geometry(sym_geometry_of(self), dim, index, "select"));
}
Tensor select_view_scatter(const Tensor& base, const Tensor& value, int64_t dim,
                           const SymInt& index) {
  return select_scatter(base, value, dim, index);
}

Tensor slice_all_devices(const Tensor& self, int64_t dim, const std::optional<SymInt>& start,
                         const std::optional<SymInt>& end, const SymInt& step) {
  OPWRIGHT_CHECK(self.dim() > 0, "slice: a tensor of zero dimensions cannot be sliced");
  const size_t index = wrap_dim(dim, static_cast<size_t>(self.dim()), "slice");
  const SymInt last = end ? *end : self.sym_size(static_cast<int64_t>(index));
  return make_view(
      self, slice_geometry(sym_geometry_of(self), dim, start.value_or(0), last, step, "slice"));
}
Tensor slice_view_scatter(const Tensor& base, const Tensor& value, int64_t dim,
                          const std::optional<SymInt>& start, const std::optional<SymInt>& end,
                          const SymInt& step) {
  return slice_scatter(base, value, dim, start, end, step);
}

Tensor permute_all_devices(const Tensor& self, std::span<const int64_t> dims) {
  return make_view(self, permute_geometry(sym_geometry_of(self), dims, "permute"));
}
Tensor permute_scatter(const Tensor& /*base*/, const Tensor& value, std::span<const int64_t> dims) {
  Sizes inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    inverse[wrap_dim(dims[i], dims.size(), "permute")] = static_cast<int64_t>(i);
  return value.permute(inverse);
}

Tensor squeeze_all_devices(const Tensor& self) {
  SymGeometry geometry = sym_geometry_of(self);
  for (int64_t dim = self.dim() - 1; dim >= 0; --dim) {
    geometry = squeeze_geometry(std::move(geometry), dim, "squeeze");
  }
  return make_view(self, geometry);
}
Tensor squeeze_scatter(const Tensor& base, const Tensor& value) {
  Tensor restored = value;
  for (int64_t dim = 0; dim < base.dim(); ++dim) restored = unsqueeze_as(base, restored, dim);
  return restored;
}

Tensor squeeze_dim_all_devices(const Tensor& self, int64_t dim) {
  return make_view(self, squeeze_geometry(sym_geometry_of(self), dim, "squeeze"));
}
Tensor squeeze_dim_scatter(const Tensor& base, const Tensor& value, int64_t dim) {
  if (base.dim() == 0) return value;
  const auto index = wrap_dim(dim, static_cast<size_t>(base.dim()), "squeeze");
  return unsqueeze_as(base, value, static_cast<int64_t>(index));
}

Tensor unsqueeze_all_devices(const Tensor& self, int64_t dim) {
  return make_view(self, unsqueeze_geometry(sym_geometry_of(self), dim, "unsqueeze"));
}
Tensor unsqueeze_scatter(const Tensor& /*base*/, const Tensor& value, int64_t dim) {
  return value.squeeze(dim);
}

Tensor as_strided_all_devices(const Tensor& self, std::span<const SymInt> size,
                              std::span<const SymInt> stride,
                              const std::optional<SymInt>& storage_offset) {
  OPWRIGHT_CHECK_VALUE(size.size() == stride.size(),
                       "as_strided: there must be one stride for each size, got ", to_text(size),
                       " and ", to_text(stride));
  const bool has_negative = std::ranges::any_of(
      stride, [](const SymInt& each) { return !each.is_symbolic() && each.word() < 0; });
  OPWRIGHT_CHECK_VALUE(!has_negative,
                       "as_strided: Negative strides are not supported at the moment, got "
                       "strides: ",
                       to_text(stride));
  return make_view(self, size, stride,
                   storage_offset ? *storage_offset : sym_geometry_of(self).offset);
}
Tensor as_strided_view_scatter(const Tensor& base, const Tensor& value,
                               std::span<const SymInt> size, std::span<const SymInt> stride,
                               const std::optional<SymInt>& storage_offset) {
  return as_strided_scatter(base, value, size, stride, storage_offset);
}

Tensor alias_all_devices(const Tensor& self) { return make_view(self, sym_geometry_of(self)); }
Tensor alias_scatter(const Tensor& /*base*/, const Tensor& value) { return value; }

Tensor reshape_composite(const Tensor& self, std::span<const SymInt> shape) {
  const SymGeometry base = sym_geometry_of(self);
  const SymSizes sizes = infer_size(shape, self.sym_numel(), "reshape");
  if (view_strides(base.sizes, base.strides, sizes)) return self.view(sizes);
  return _unsafe_view(self.clone(MemoryFormat::Contiguous), sizes);
}

}  // namespace opwright
