// Padding: a copy with elements added around it, or removed if a width is negative.
//
// The result of reflection and replication consists of regions, three per padded dimension; each
// region is a copy of a view of the input: forwards, backwards, or one repeated element.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "opwright/error.h"
#include "opwright/functions.h"
#include "opwright/ops/pad/pad_border.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

// The sizes of the result; `pad` has a pair per dimension, the last one first.
SymSizes padded_sizes(const char* who, const Tensor& self, std::span<const SymInt> pad) {
  SymSizes sizes = sym_geometry_of(self).sizes;
  OPWRIGHT_CHECK(pad.size() % 2 == 0 && pad.size() / 2 <= sizes.size(), who, ": pad ", to_text(pad),
                 " must hold a pair for each padded dimension of self, whose sizes are ",
                 to_text(sizes));
  const SymSizes before = sizes;
  for (size_t k = 0; k < pad.size() / 2; ++k) {
    SymInt& size = sizes[sizes.size() - 1 - k];
    size = size + pad[2 * k] + pad[2 * k + 1];
    check(size >= 0, std::string(who) + ": pad " + to_text(pad) +
                         " takes more than there is of self, whose sizes are " + to_text(before));
  }
  return sizes;
}

// With the dimension order of self.
Tensor new_padded(const Tensor& self, const SymSizes& sizes) {
  return empty(sizes, self.dtype(), std::nullopt, self.device(), std::nullopt,
               suggest_memory_format(self));
}

// Consecutive elements of one dimension of the result, and their source.
struct Segment {
  int64_t begin;
  int64_t length;
  int64_t source;  // of the first element
  int64_t step;    // 1, -1 or 0
};

std::array<Segment, 3> find_segments(Border border, int64_t size, int64_t before, int64_t padded) {
  const int64_t begin = std::clamp<int64_t>(before, 0, padded);
  const int64_t end = std::clamp<int64_t>(size + before, begin, padded);
  const bool reflects = border == Border::Reflect;
  return {
      {{.begin = 0, .length = begin, .source = reflects ? before : 0, .step = reflects ? -1 : 0},
       {.begin = begin, .length = end - begin, .source = begin - before, .step = 1},
       {.begin = end,
        .length = padded - end,
        .source = reflects ? 2 * (size - 1) - (end - before) : size - 1,
        .step = reflects ? -1 : 0}}};
}

// Copies regions of the dimensions from the last one to `k` pairs before it, outermost first.
void copy_regions(Border border, std::span<const int64_t> sizes, std::span<const int64_t> pad,
                  size_t k, const Tensor& self, const Geometry& source, const Tensor& result,
                  const Geometry& target) {
  if (k == 0) {
    if (product(target.sizes) == 0) return;
    make_view(result, target).copy_(make_view(self, source));
    return;
  }
  const size_t dim = sizes.size() - k;
  const int64_t padded = target.sizes[dim];
  for (const Segment& segment : find_segments(border, sizes[dim], pad[2 * (k - 1)], padded)) {
    if (segment.length == 0) continue;
    Geometry from = source;
    Geometry to = target;
    from.offset += segment.source * source.strides[dim];
    from.strides[dim] = segment.step * source.strides[dim];
    from.sizes[dim] = to.sizes[dim] = segment.length;
    to.offset += segment.begin * target.strides[dim];
    copy_regions(border, sizes, pad, k - 1, self, from, result, to);
  }
}

Tensor pad_border(const char* who, Border border, const Tensor& self, std::span<const SymInt> pad,
                  size_t ndim) {
  const SymSizes sizes = sym_geometry_of(self).sizes;
  const auto has_dims = [&](size_t wanted) { return sizes.size() == wanted; };
  OPWRIGHT_CHECK(pad.size() == 2 * ndim, who, ": padding must hold ", 2 * ndim, " widths, got ",
                 to_text(pad));
  OPWRIGHT_CHECK(has_dims(ndim + 1) || has_dims(ndim + 2), who, ": self must have ", ndim + 1,
                 " or ", ndim + 2, " dimensions, got sizes ", to_text(sizes));
  const std::string empty_self =
      std::string(who) +
      ": self must have elements but for the first dimension of a batch, got sizes " +
      to_text(sizes);
  for (size_t i = has_dims(ndim + 2) ? 1 : 0; i < sizes.size(); ++i)
    check(sizes[i] > 0, empty_self);
  for (size_t k = 0; k < ndim && border == Border::Reflect; ++k) {
    const SymInt& size = sizes[sizes.size() - 1 - k];
    check(sym_and(pad[2 * k] < size, pad[2 * k + 1] < size),
          std::string(who) + ": padding " + to_text(pad) +
              " must be smaller than the padded dimensions of self, whose sizes are " +
              to_text(sizes));
  }
  const SymSizes padded = padded_sizes(who, self, pad);
  SymBool has_any = padded.back() > 0;
  for (size_t k = 1; k < ndim; ++k) has_any = sym_or(has_any, padded[padded.size() - 1 - k] > 0);
  check(has_any, std::string(who) + ": padding " + to_text(pad) +
                     " leaves nothing of self, whose sizes are " + to_text(sizes));
  Tensor result = new_padded(self, padded);
  if (self.is_fake() || result.numel() == 0) return result;
  Sizes widths;
  for (const SymInt& width : pad) widths.push_back(width.specialise());
  copy_regions(border, self.sizes(), widths, ndim, self, geometry_of(self), result,
               geometry_of(result));
  return result;
}

}  // namespace

Tensor constant_pad_nd_all_devices(const Tensor& self, std::span<const SymInt> pad,
                                   const Scalar& value) {
  constexpr const char* kWho = "constant_pad_nd";
  const SymSizes sizes = padded_sizes(kWho, self, pad);
  // The kept part of self; the remaining widths are not negative.
  Tensor kept = self;
  bool adds = false;
  for (size_t k = 0; k < pad.size() / 2; ++k) {
    const int64_t dim = self.dim() - 1 - static_cast<int64_t>(k);
    const SymInt before = sym_max(SymInt(0) - pad[2 * k], 0);
    const SymInt after = sym_max(SymInt(0) - pad[2 * k + 1], 0);
    const SymInt size = kept.sym_size(dim);
    check(before + after <= size, std::string(kWho) + ": pad " + to_text(pad) +
                                      " takes more than there is of self, whose sizes are " +
                                      to_text(sym_geometry_of(self).sizes));
    kept = slice(kept, dim, before, size - after);
    adds |= !guard_or_false(pad[2 * k] <= 0) || !guard_or_false(pad[2 * k + 1] <= 0);
  }
  if (!adds) return kept.clone();
  Tensor result = new_padded(self, sizes);
  result.fill_(value);
  Tensor middle = result;
  for (size_t k = 0; k < pad.size() / 2; ++k) {
    const int64_t dim = self.dim() - 1 - static_cast<int64_t>(k);
    const SymInt begin = sym_max(pad[2 * k], 0);
    middle = slice(middle, dim, begin, begin + kept.sym_size(dim));
  }
  middle.copy_(kept);
  return result;
}

Tensor reflection_pad1d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("reflection_pad1d", Border::Reflect, self, padding, 1);
}
Tensor reflection_pad2d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("reflection_pad2d", Border::Reflect, self, padding, 2);
}
Tensor reflection_pad3d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("reflection_pad3d", Border::Reflect, self, padding, 3);
}
Tensor replication_pad1d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("replication_pad1d", Border::Replicate, self, padding, 1);
}
Tensor replication_pad2d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("replication_pad2d", Border::Replicate, self, padding, 2);
}
Tensor replication_pad3d_all_devices(const Tensor& self, std::span<const SymInt> padding) {
  return pad_border("replication_pad3d", Border::Replicate, self, padding, 3);
}

}  // namespace opwright
