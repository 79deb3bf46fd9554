// The geometry functions of view.h, written once for ints and SymInts.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/base/small_vector.h"
#include "opwright/error.h"
#include "opwright/symbolic/shape_env/demand.h"
#include "opwright/symbolic/shape_env/layout_questions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

using Where = std::source_location;

bool is_below_zero(int64_t value) { return value < 0; }
// A symbol that may have either sign is taken as an index from the front.
bool is_below_zero(const SymInt& value) { return guard_or_false(SymOperand(value) < 0); }
int64_t smaller(int64_t a, int64_t b) { return std::min(a, b); }
SymInt smaller(const SymInt& a, const SymInt& b) { return sym_min(a, b); }
int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }
SymInt larger(const SymInt& a, const SymInt& b) { return sym_max(a, b); }
int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }  // both positive
SymInt ceil_div(const SymInt& a, const SymInt& b) {
  return is_plain_int(b, 1) ? a : (a + b - 1) / b;
}

bool is_same(int64_t a, int64_t b) { return a == b; }
bool is_same(const SymInt& a, const SymInt& b) { return a.word() == b.word(); }

template <class Int>
std::string text_of(const SmallVector<Int, kInlineDims>& values) {
  return to_text(std::span<const Int>(values));
}

// PyTorch's computeStride: old dimensions are merged from the back while they are contiguous, and
// each merged block must be a product of new sizes.
template <class Int>
std::optional<SmallVector<Int, kInlineDims>> find_view_strides(std::span<const Int> sizes,
                                                               std::span<const Int> strides,
                                                               std::span<const Int> new_sizes,
                                                               const Where& where) {
  SmallVector<Int, kInlineDims> result(new_sizes.size(), Int(1));
  const bool is_empty = std::any_of(
      sizes.begin(), sizes.end(), [&](const Int& size) { return is_known_equal(size, 0, where); });
  if (is_empty) {
    if (sizes.size() == new_sizes.size() &&
        std::equal(sizes.begin(), sizes.end(), new_sizes.begin(),
                   [&](const Int& a, const Int& b) { return is_known_equal(a, b, where); })) {
      return SmallVector<Int, kInlineDims>(strides);
    }
    return contiguous_strides(new_sizes);
  }
  if (sizes.empty()) return result;
  size_t next_new = new_sizes.size();  // those from here on are done
  Int piece_stride = strides.back();
  Int piece_numel = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    piece_numel = piece_numel * sizes[i];
    const bool piece_ends =
        i == 0 || (!is_laid_equal(sizes[i - 1], 1, where) &&
                   !is_laid_equal(strides[i - 1], piece_numel * piece_stride, where));
    if (!piece_ends) continue;
    Int covered = 1;
    while (next_new > 0 && (!is_laid_equal(covered, piece_numel, where) ||
                            is_laid_equal(new_sizes[next_new - 1], 1, where))) {
      --next_new;
      result[next_new] = covered * piece_stride;
      covered = covered * new_sizes[next_new];
    }
    if (!is_laid_equal(covered, piece_numel, where)) return std::nullopt;
    if (i > 0) {
      piece_numel = 1;
      piece_stride = strides[i - 1];
    }
  }
  if (next_new != 0) return std::nullopt;
  return result;
}

template <class Int>
void erase_dim(BasicGeometry<Int>& geometry, size_t dim) {
  geometry.sizes.erase(geometry.sizes.begin() + dim);
  geometry.strides.erase(geometry.strides.begin() + dim);
}

// 0 ... size; negative values count from the end.
template <class Int>
Int clamp_index(const Int& index, const Int& size) {
  if (is_same(index, size) || is_plain_int(index, INT64_MAX)) return size;
  if (is_below_zero(index)) return larger(index + size, Int(0));
  const Int above = holds_always(index >= Int(0)) ? index : larger(index, Int(0));
  return holds_always(above <= size) ? above : smaller(above, size);
}

}  // namespace

size_t wrap_dim(int64_t dim, size_t ndim, std::string_view who) {
  const auto count = static_cast<int64_t>(ndim);
  OPWRIGHT_CHECK_INDEX(dim >= -count && dim < count, who, ": dimension ", dim,
                       " is out of range for a tensor of ", count, " dimensions");
  return static_cast<size_t>(dim < 0 ? dim + count : dim);
}

std::optional<Sizes> view_strides(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                                  std::span<const int64_t> new_sizes) {
  return find_view_strides(sizes, strides, new_sizes, {});
}

std::optional<SymSizes> view_strides(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                                     std::span<const SymInt> new_sizes,
                                     std::source_location where) {
  // Every reshape of contiguous memory is a view, and no symbol is queried.
  const bool is_contiguous =
      std::ranges::equal(contiguous_strides(sizes), strides,
                         [](const SymInt& a, const SymInt& b) { return is_same(a, b); });
  if (is_contiguous) return contiguous_strides(new_sizes);
  return find_view_strides(sizes, strides, new_sizes, where);
}

template <class Int>
BasicGeometry<Int> transpose_geometry(BasicGeometry<Int> base, int64_t dim0, int64_t dim1,
                                      std::string_view who) {
  if (base.sizes.empty() && dim0 >= -1 && dim0 <= 0 && dim1 >= -1 && dim1 <= 0)
    return base;  // as in PyTorch
  const size_t first = wrap_dim(dim0, base.sizes.size(), who);
  const size_t second = wrap_dim(dim1, base.sizes.size(), who);
  std::swap(base.sizes[first], base.sizes[second]);
  std::swap(base.strides[first], base.strides[second]);
  return base;
}

template <class Int>
BasicGeometry<Int> permute_geometry(const BasicGeometry<Int>& base, std::span<const int64_t> order,
                                    std::string_view who) {
  const size_t ndim = base.sizes.size();
  OPWRIGHT_CHECK_VALUE(order.size() == ndim, who, ": the order ", to_text(order), " must name all ",
                       ndim, " dimensions");
  SmallVector<uint8_t, 8> seen(ndim);
  BasicGeometry<Int> result{.sizes = {}, .strides = {}, .offset = base.offset};
  for (const int64_t dim : order) {
    const size_t i = wrap_dim(dim, ndim, who);
    OPWRIGHT_CHECK_VALUE(!std::exchange(seen[i], uint8_t{1}), who, ": the order ", to_text(order),
                         " names dimension ", i, " twice");
    result.sizes.push_back(base.sizes[i]);
    result.strides.push_back(base.strides[i]);
  }
  return result;
}

template <class Int>
BasicGeometry<Int> expand_geometry(const BasicGeometry<Int>& base, std::span<const Int> sizes,
                                   std::string_view who, std::source_location where) {
  OPWRIGHT_CHECK_VALUE(sizes.size() >= base.sizes.size(), who, ": ", to_text(sizes),
                       " has fewer dimensions than the tensor's ", text_of(base.sizes));
  const size_t added = sizes.size() - base.sizes.size();
  BasicGeometry<Int> result{.sizes = {}, .strides = {}, .offset = base.offset};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool keeps = is_plain_int(sizes[i], -1);
    OPWRIGHT_CHECK_VALUE(i >= added || !keeps, who, ": -1 keeps a size, but dimension ", i, " of ",
                         to_text(sizes), " is new");
    const bool stays = i >= added && (keeps || is_same(base.sizes[i - added], sizes[i]));
    const bool repeats = i < added || (!stays && is_known_equal(base.sizes[i - added], 1, where));
    if (!stays && !repeats) {
      // A size not known to be 1 must already match.
      demand(SymOperand(base.sizes[i - added], where) == SymOperand(sizes[i], where), "ValueError",
             [&] {
               return concatenate(who, ": sizes ", text_of(base.sizes), " do not expand to ",
                                  to_text(sizes), ": dimension ", i, " is ", base.sizes[i - added],
                                  ", not 1");
             });
    }
    OPWRIGHT_CHECK_VALUE(keeps || !is_below_zero(sizes[i]), who, ": size ", sizes[i],
                         " is negative in ", to_text(sizes));
    result.sizes.push_back(keeps ? base.sizes[i - added] : sizes[i]);
    result.strides.push_back(repeats ? Int(0) : base.strides[i - added]);
  }
  // A new dimension of one element has the stride that unsqueeze gives it.
  for (size_t i = base.sizes.empty() ? 0 : added; i > 0; --i) {
    if (is_plain_int(result.sizes[i - 1], 1))
      result.strides[i - 1] = result.sizes[i] * result.strides[i];
  }
  return result;
}

template <class Int>
BasicGeometry<Int> select_geometry(BasicGeometry<Int> base, int64_t dim, Int index,
                                   std::string_view who) {
  const size_t i = wrap_dim(dim, base.sizes.size(), who);
  const Int size = base.sizes[i];
  const Int from_front = is_below_zero(index) ? index + size : index;
  const auto message = [&] {
    return concatenate(who, ": index ", index, " is out of range for dimension ", i, " of size ",
                       size);
  };
  demand(from_front >= Int(0), "IndexError", message);
  demand(from_front < size, "IndexError", message);
  base.offset = base.offset + from_front * base.strides[i];
  erase_dim(base, i);
  return base;
}

template <class Int>
BasicGeometry<Int> slice_geometry(BasicGeometry<Int> base, int64_t dim, Int start, Int end,
                                  Int step, std::string_view who) {
  const size_t i = wrap_dim(dim, base.sizes.size(), who);
  OPWRIGHT_CHECK_VALUE(!is_below_zero(step - 1), who, ": the step must be at least 1, got ", step);
  const Int size = base.sizes[i];
  const Int first = clamp_index(start, size);
  const Int limit = clamp_index(end, size);
  const bool is_whole = is_same(limit, size) || holds_always(first <= limit);
  const Int last = is_whole ? limit : larger(limit, first);
  base.offset = base.offset + first * base.strides[i];
  base.sizes[i] = ceil_div(last - first, step);
  base.strides[i] = base.strides[i] * step;
  return base;
}

template <class Int>
BasicGeometry<Int> unsqueeze_geometry(BasicGeometry<Int> base, int64_t dim, std::string_view who) {
  const size_t i = wrap_dim(dim, base.sizes.size() + 1, who);
  const bool is_last = i == base.sizes.size();
  const Int stride = is_last ? Int(1) : base.sizes[i] * base.strides[i];
  base.sizes.insert(base.sizes.begin() + i, Int(1));
  base.strides.insert(base.strides.begin() + i, stride);
  return base;
}

template <class Int>
BasicGeometry<Int> squeeze_geometry(BasicGeometry<Int> base, int64_t dim, std::string_view who) {
  if (base.sizes.empty() && dim >= -1 && dim <= 0) return base;
  const size_t i = wrap_dim(dim, base.sizes.size(), who);
  if (is_known_equal(base.sizes[i], Int(1))) {
    erase_dim(base, i);
    return base;
  }
  // The number of dimensions must be known now: a size that may still be 1 is required not to be.
  demand(base.sizes[i] != Int(1), "ValueError", [&] {
    return concatenate(who, ": dimension ", i, " of sizes ", text_of(base.sizes),
                       " was assumed not to be 1");
  });
  return base;
}

#define OPWRIGHT_INSTANTIATE(Int)                                                                  \
  template BasicGeometry<Int> transpose_geometry(BasicGeometry<Int>, int64_t, int64_t,             \
                                                 std::string_view);                                \
  template BasicGeometry<Int> permute_geometry(const BasicGeometry<Int>&,                          \
                                               std::span<const int64_t>, std::string_view);        \
  template BasicGeometry<Int> expand_geometry(const BasicGeometry<Int>&, std::span<const Int>,     \
                                              std::string_view, std::source_location);             \
  template BasicGeometry<Int> select_geometry(BasicGeometry<Int>, int64_t, Int, std::string_view); \
  template BasicGeometry<Int> slice_geometry(BasicGeometry<Int>, int64_t, Int, Int, Int,           \
                                             std::string_view);                                    \
  template BasicGeometry<Int> unsqueeze_geometry(BasicGeometry<Int>, int64_t, std::string_view);   \
  template BasicGeometry<Int> squeeze_geometry(BasicGeometry<Int>, int64_t, std::string_view);
OPWRIGHT_INSTANTIATE(int64_t)
OPWRIGHT_INSTANTIATE(SymInt)
#undef OPWRIGHT_INSTANTIATE

}  // namespace opwright
