// Copies of a tensor with a view of it replaced: writes to views without writing.
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/overlap.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// A copy with the same strides, unless elements overlap in memory.
Tensor clone_in_place_of(const Tensor& self) {
  const SymGeometry geometry = sym_geometry_of(self);
  if (has_internal_overlap(self)) return self.clone();
  Tensor copy = self.new_empty_strided(geometry.sizes, geometry.strides);
  copy.copy_(self);
  return copy;
}

// Unlike copy_, this does not broadcast.
void check_same_sizes(const char* who, const Tensor& src, const Tensor& view) {
  const SymSizes given = sym_geometry_of(src).sizes;
  const SymSizes wanted = sym_geometry_of(view).sizes;
  const std::string problem = std::string(who) + ": src of sizes " + to_text(given) +
                              " must have the sizes " + to_text(wanted) +
                              " of the part that it replaces";
  OPWRIGHT_CHECK_VALUE(given.size() == wanted.size(), problem);
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].word() != wanted[i].word()) check(given[i] == wanted[i], problem);
  }
}

}  // namespace

Tensor select_scatter_all_devices(const Tensor& self, const Tensor& src, int64_t dim,
                                  const SymInt& index) {
  const Tensor copy = clone_in_place_of(self);
  Tensor view = select(copy, dim, index);
  check_same_sizes("select_scatter", src, view);
  view.copy_(src);
  return copy;
}

Tensor slice_scatter_all_devices(const Tensor& self, const Tensor& src, int64_t dim,
                                 const std::optional<SymInt>& start,
                                 const std::optional<SymInt>& end, const SymInt& step) {
  const Tensor copy = clone_in_place_of(self);
  Tensor view = slice(copy, dim, start, end, step);
  check_same_sizes("slice_scatter", src, view);
  view.copy_(src);
  return copy;
}

Tensor diagonal_scatter_all_devices(const Tensor& self, const Tensor& src, int64_t offset,
                                    int64_t dim1, int64_t dim2) {
  const Tensor copy = clone_in_place_of(self);
  Tensor view = diagonal(copy, offset, dim1, dim2);
  check_same_sizes("diagonal_scatter", src, view);
  view.copy_(src);
  return copy;
}

// The offset refers to the storage of self; the copy's storage begins with self's first element.
Tensor as_strided_scatter_all_devices(const Tensor& self, const Tensor& src,
                                      std::span<const SymInt> size, std::span<const SymInt> stride,
                                      const std::optional<SymInt>& storage_offset) {
  const SymInt offset = sym_geometry_of(self).offset;
  const Tensor copy = clone_in_place_of(self);
  Tensor view = as_strided(copy, size, stride, storage_offset.value_or(offset) - offset);
  check_same_sizes("as_strided_scatter", src, view);
  view.copy_(src);
  return copy;
}

}  // namespace opwright
