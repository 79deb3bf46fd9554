#include "opwright/tensor/overlap.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/dtype.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor/extent.h"
#include "opwright/tensor/memory_format.h"
#include "opwright/tensor/tensor_impl.h"
#include "opwright/tensor/view.h"
#include "opwright/tensor/wrapper.h"

namespace opwright {
namespace {

// Calls visit(offset) with the offset of every element from the first one until it returns true.
// Repetitions by a stride of 0 are skipped.
template <class Visit>
bool visit_offsets(std::span<const int64_t> all_sizes, std::span<const int64_t> all_strides,
                   const Visit& visit) {
  Sizes sizes;
  Sizes strides;
  for (size_t i = 0; i < all_sizes.size(); ++i) {
    if (all_sizes[i] == 0) return false;
    if (all_sizes[i] == 1 || all_strides[i] == 0) continue;
    sizes.push_back(all_sizes[i]);
    strides.push_back(all_strides[i]);
  }
  Sizes index(sizes.size());
  int64_t offset = 0;
  for (;;) {
    if (visit(offset)) return true;
    size_t dim = sizes.size();
    for (; dim > 0; --dim) {
      const size_t i = dim - 1;
      offset += strides[i];
      if (++index[i] < sizes[i]) break;
      offset -= strides[i] * sizes[i];
      index[i] = 0;
    }
    if (dim == 0) return false;
  }
}

// Whether each dimension, sorted by stride, steps over everything that the smaller ones reach: then
// no element occurs twice.
bool is_plainly_without_overlap(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  std::vector<std::pair<int64_t, int64_t>> by_stride;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) by_stride.emplace_back(std::abs(strides[i]), sizes[i]);
  }
  std::sort(by_stride.begin(), by_stride.end());
  int64_t reach = 0;
  for (const auto& [stride, size] : by_stride) {
    if (stride <= reach) return false;
    reach += stride * (size - 1);
  }
  return true;
}

struct ByteRange {
  int64_t first;  // of the element [0, ..., 0]
  int64_t begin;
  int64_t end;
};

ByteRange byte_range(const TensorImpl& tensor, const Extent& extent) {
  const auto item = static_cast<int64_t>(item_size(tensor.dtype()));
  const int64_t first = tensor.storage_offset * item;
  return {.first = first,
          .begin = first + extent.lowest * item,
          .end = first + (extent.highest + 1) * item};
}

bool is_dense_tensor(const TensorImpl& tensor) {
  return is_non_overlapping_and_dense(tensor.shape(), tensor.strides());
}

bool has_same_words(const TensorImpl& a, const TensorImpl& b) {
  if (!a.symbolic || !b.symbolic || a.dl.ndim != b.dl.ndim) return false;
  const auto same = [](const SymInt& x, const SymInt& y) { return x.word() == y.word(); };
  return same(a.symbolic->offset, b.symbolic->offset) &&
         std::equal(a.symbolic->sizes.begin(), a.symbolic->sizes.end(), b.symbolic->sizes.begin(),
                    same) &&
         std::equal(a.symbolic->strides.begin(), a.symbolic->strides.end(),
                    b.symbolic->strides.begin(), same);
}

bool has_same_geometry(const TensorImpl& a, const TensorImpl& b) {
  if (a.dtype() != b.dtype() || a.storage_offset != b.storage_offset || a.dl.ndim != b.dl.ndim)
    return false;
  for (int32_t i = 0; i < a.dl.ndim; ++i) {
    if (a.dl.shape[i] != b.dl.shape[i] || (a.dl.shape[i] > 1 && a.dl.strides[i] != b.dl.strides[i]))
      return false;
  }
  return true;
}

// Marks a's elements in the common range and searches for one of b's.
bool shares_a_byte(const TensorImpl& a, const ByteRange& a_range, const TensorImpl& b,
                   const ByteRange& b_range) {
  const auto a_item = static_cast<int64_t>(item_size(a.dtype()));
  const auto b_item = static_cast<int64_t>(item_size(b.dtype()));
  const int64_t unit = std::gcd(a_item, b_item);  // offsets are multiples of item sizes
  const int64_t begin = std::max(a_range.begin, b_range.begin) / unit;
  const int64_t end = std::min(a_range.end, b_range.end) / unit;
  std::vector<bool> marked(static_cast<size_t>(end - begin));
  const auto visit_units = [&](const TensorImpl& tensor, const ByteRange& range, int64_t item,
                               const auto& visit) {
    return visit_offsets(tensor.shape(), tensor.strides(), [&](int64_t offset) {
      const int64_t first = (range.first + offset * item) / unit;
      for (int64_t at = std::max(first, begin); at < std::min(first + item / unit, end); ++at) {
        if (visit(static_cast<size_t>(at - begin))) return true;
      }
      return false;
    });
  };
  visit_units(a, a_range, a_item, [&](size_t at) {
    marked[at] = true;
    return false;
  });
  return visit_units(b, b_range, b_item, [&](size_t at) { return marked[at]; });
}

// With symbols, the decidable case: a dimension of more than one element repeats one.
bool is_expanded(const SymbolicShape& shape) {
  for (const SymInt& size : shape.sizes) {
    if (is_plain_int(size, 0)) return false;
  }
  for (size_t i = 0; i < shape.sizes.size(); ++i) {
    if (is_plain_int(shape.strides[i], 0) && is_known_less(SymInt(1), shape.sizes[i])) return true;
  }
  return false;
}

}  // namespace

bool has_internal_overlap(const TensorImpl& tensor) {
  const TensorImpl& self = storage_holder(tensor);
  if (self.symbolic) return is_expanded(*self.symbolic);
  const std::optional<Extent> extent = find_extent(self.shape(), self.strides());
  if (!extent || extent->is_empty) return false;
  if (is_plainly_without_overlap(self.shape(), self.strides())) return false;
  for (int32_t i = 0; i < self.dl.ndim; ++i) {
    if (self.dl.shape[i] > 1 && self.dl.strides[i] == 0) return true;
  }
  std::vector<bool> seen(static_cast<size_t>(extent->length()));
  return visit_offsets(self.shape(), self.strides(), [&](int64_t offset) {
    const auto at = static_cast<size_t>(offset - extent->lowest);
    if (seen[at]) return true;
    seen[at] = true;
    return false;
  });
}

Overlap overlap(const TensorImpl& a, const TensorImpl& b) {
  const TensorImpl& first = storage_holder(a);
  const TensorImpl& second = storage_holder(b);
  if (first.storage != second.storage) return Overlap::None;
  if (first.symbolic || second.symbolic)
    return has_same_words(first, second) ? Overlap::Full : Overlap::None;
  const std::optional<Extent> first_extent = find_extent(first.shape(), first.strides());
  const std::optional<Extent> second_extent = find_extent(second.shape(), second.strides());
  if (!first_extent || !second_extent || first_extent->is_empty || second_extent->is_empty)
    return Overlap::None;
  if (has_same_geometry(first, second)) return Overlap::Full;
  const ByteRange first_range = byte_range(first, *first_extent);
  const ByteRange second_range = byte_range(second, *second_extent);
  if (first_range.end <= second_range.begin || second_range.end <= first_range.begin)
    return Overlap::None;
  if (is_dense_tensor(first) && is_dense_tensor(second)) return Overlap::Partial;
  return shares_a_byte(first, first_range, second, second_range) ? Overlap::Partial : Overlap::None;
}

bool covers(const SymGeometry& whole, const SymGeometry& part) {
  const auto same = [](std::span<const SymInt> a, std::span<const SymInt> b) {
    return std::ranges::equal(
        a, b, [](const SymInt& x, const SymInt& y) { return x.word() == y.word(); });
  };
  if (whole.offset.word() == part.offset.word() && same(whole.sizes, part.sizes) &&
      same(whole.strides, part.strides))
    return true;
  const auto sizes = as_plain(whole.sizes);
  const auto strides = as_plain(whole.strides);
  const auto part_sizes = as_plain(part.sizes);
  const auto part_strides = as_plain(part.strides);
  if (!sizes || !strides || !part_sizes || !part_strides || whole.offset.is_symbolic() ||
      part.offset.is_symbolic())
    return false;
  const std::optional<Extent> extent = find_extent(*sizes, *strides);
  const std::optional<Extent> part_extent = find_extent(*part_sizes, *part_strides);
  if (!extent || !part_extent) return false;
  if (part_extent->is_empty) return true;
  const int64_t shift = part.offset.word() - whole.offset.word();
  if (extent->is_empty || shift + part_extent->lowest < extent->lowest ||
      shift + part_extent->highest > extent->highest)
    return false;
  if (is_non_overlapping_and_dense(*sizes, *strides)) return true;
  std::vector<bool> reached(static_cast<size_t>(extent->length()));
  visit_offsets(*sizes, *strides, [&](int64_t offset) {
    reached[static_cast<size_t>(offset - extent->lowest)] = true;
    return false;
  });
  return !visit_offsets(*part_sizes, *part_strides, [&](int64_t offset) {
    return !reached[static_cast<size_t>(shift + offset - extent->lowest)];
  });
}

}  // namespace opwright
