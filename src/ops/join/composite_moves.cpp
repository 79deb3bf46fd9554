// Elements moved to other places, as composites: rot90, flips, diagonals, put.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/view.h"

namespace opwright {

Tensor rot90_composite(const Tensor& self, int64_t k, std::span<const int64_t> dims) {
  OPWRIGHT_CHECK(dims.size() == 2, "rot90: dims must name two dimensions, got ", to_text(dims));
  const auto ndim = static_cast<size_t>(self.dim());
  OPWRIGHT_CHECK(ndim >= 2, "rot90: self must have at least two dimensions, got ", self);
  const auto from = static_cast<int64_t>(wrap_dim(dims[0], ndim, "rot90"));
  const auto to = static_cast<int64_t>(wrap_dim(dims[1], ndim, "rot90"));
  OPWRIGHT_CHECK(from != to, "rot90: dims must be two different dimensions, got ", to_text(dims));
  switch ((k % 4 + 4) % 4) {
    case 1:
      return self.flip({to}).transpose(from, to);
    case 2:
      return self.flip({from, to});
    case 3:
      return self.flip({from}).transpose(from, to);
    default:
      return self.clone(MemoryFormat::Contiguous);
  }
}

Tensor fliplr_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 2, "fliplr: self must have at least two dimensions, got ", self);
  return self.flip({1});
}

Tensor flipud_composite(const Tensor& self) {
  OPWRIGHT_CHECK(self.dim() >= 1, "flipud: self must have at least one dimension, got ", self);
  return self.flip({0});
}

Tensor diag_composite(const Tensor& self, int64_t diagonal) {
  OPWRIGHT_CHECK(self.dim() == 1 || self.dim() == 2,
                 "diag: self must have one or two dimensions, got ", self);
  if (self.dim() == 1) return diag_embed(self, diagonal);
  return self.diagonal(diagonal).clone(MemoryFormat::Contiguous);
}

Tensor diag_embed_composite(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  const auto ndim = static_cast<size_t>(self.dim()) + 1;
  OPWRIGHT_CHECK(self.dim() >= 1, "diag_embed: self must have at least one dimension, got ", self);
  const auto first = static_cast<int64_t>(wrap_dim(dim1, ndim, "diag_embed"));
  const auto second = static_cast<int64_t>(wrap_dim(dim2, ndim, "diag_embed"));
  OPWRIGHT_CHECK(first != second,
                 "diag_embed: dim1 and dim2 must be two different dimensions, both are ", first);
  const SymInt length = self.sym_size(-1) + (offset < 0 ? -offset : offset);
  SymSizes sizes = sym_geometry_of(self).sizes;
  sizes.pop_back();
  sizes.insert(sizes.begin() + std::min(first, second), length);
  sizes.insert(sizes.begin() + std::max(first, second), length);
  return diagonal_scatter(self.new_zeros(sizes), self, offset, first, second);
}

Tensor diagflat_composite(const Tensor& self, int64_t offset) {
  return diag_embed(self.flatten(), offset);
}

Tensor& put_in_place_composite(Tensor& self, const Tensor& index, const Tensor& source,
                               bool accumulate) {
  OPWRIGHT_CHECK_TYPE(self.dtype() == source.dtype(),
                      "put: self and source must have the same dtype, got ", self, " and ", source);
  OPWRIGHT_CHECK_TYPE(index.dtype() == DType::Int64, "put: index must be of int64, got ", index);
  const SymInt count = index.sym_numel();
  check(source.sym_numel() == count,
        concatenate("put: source must have an element for each of the ", count, " indices, got ",
                    source));
  const SymGeometry own = sym_geometry_of(self);
  if (!is_contiguous(own.sizes, own.strides, MemoryFormat::Contiguous))
    return self.copy_(self.clone(MemoryFormat::Contiguous).put_(index, source, accumulate));
  self.view({-1}).index_put_({index.reshape({-1})}, source.reshape({-1}), accumulate);
  return self;
}

Tensor put_composite(const Tensor& self, const Tensor& index, const Tensor& source,
                     bool accumulate) {
  Tensor result = self.clone();
  result.put_(index, source, accumulate);
  return result;
}

Tensor& fill_diagonal_in_place_composite(Tensor& self, const Scalar& fill_value, bool wrap) {
  constexpr const char* kWho = "fill_diagonal_";
  OPWRIGHT_CHECK(self.dim() >= 2, kWho, ": self must have at least two dimensions, got ", self);
  const SymGeometry own = sym_geometry_of(self);
  SymInt stride = 0;
  SymInt shortest = own.sizes[0];
  for (size_t i = 0; i < own.sizes.size(); ++i) {
    OPWRIGHT_CHECK(self.dim() == 2 || is_known_equal(own.sizes[i], own.sizes[0]), kWho,
                   ": more than two dimensions must have equal sizes, got ", self);
    if (guard_or_false(own.sizes[i] < shortest)) shortest = own.sizes[i];
    stride = stride + own.strides[i];
  }
  as_strided(self, {shortest}, {stride}, own.offset).fill_(fill_value);
  const bool is_tall = self.dim() == 2 && guard_or_false(own.sizes[0] > own.sizes[1] + SymInt(1));
  if (!wrap || !is_tall) return self;
  // The diagonal starts again one row below the square above it.
  const SymInt height = own.sizes[0];
  const SymInt width = own.sizes[1];
  SymInt length = (self.sym_numel() + width) / (width + 1) - shortest;
  const SymInt offset = own.offset + own.strides[0] * (width + 1);
  as_strided(self, {length}, {stride}, offset).fill_(fill_value);
  return self;
}

Tensor sum_to_size_composite(const Tensor& self, std::span<const SymInt> size) {
  const SymSizes own = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK(size.size() <= own.size(), "sum_to_size: size ", to_text(size),
                 " has more dimensions than self, whose sizes are ", to_text(own));
  if (size.empty()) return self.sum();  // a bool becomes an int64, as in PyTorch
  const size_t added = own.size() - size.size();
  Sizes dims;
  for (size_t i = 0; i < own.size(); ++i) {
    if (i < added) {
      dims.push_back(static_cast<int64_t>(i));
      continue;
    }
    if (is_known_equal(own[i], size[i - added])) continue;
    OPWRIGHT_CHECK(is_known_equal(size[i - added], SymInt(1)), "sum_to_size: size ", to_text(size),
                   " does not broadcast to the sizes of self, ", to_text(own));
    dims.push_back(static_cast<int64_t>(i));
  }
  if (dims.empty()) return self;
  return self.sum(dims, true).reshape(size);
}

Tensor empty_permuted_composite(std::span<const SymInt> size,
                                std::span<const int64_t> physical_layout,
                                const std::optional<DType>& dtype,
                                const std::optional<Layout>& layout,
                                const std::optional<Device>& device,
                                const std::optional<bool>& pin_memory) {
  OPWRIGHT_CHECK(size.size() == physical_layout.size(),
                 "empty_permuted: physical_layout must name each dimension of size once, got ",
                 to_text(physical_layout), " for ", to_text(size));
  SymSizes stored;
  Sizes order(size.size(), -1);
  for (size_t i = 0; i < size.size(); ++i) {
    const size_t dim = wrap_dim(physical_layout[i], size.size(), "empty_permuted");
    OPWRIGHT_CHECK(order[dim] < 0, "empty_permuted: dimension ", dim,
                   " appears twice in physical_layout");
    order[dim] = static_cast<int64_t>(i);
    stored.push_back(size[dim]);
  }
  return empty(stored, dtype, layout, device, pin_memory).permute(order);
}

}  // namespace opwright
