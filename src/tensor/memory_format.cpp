#include "opwright/tensor/memory_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "opwright/base/small_vector.h"
#include "opwright/base/suggest.h"
#include "opwright/error.h"
#include "opwright/memory_format.h"
#include "opwright/symbolic/shape_env/layout_questions.h"
#include "opwright/symbolic/shape_env/questions.h"
#include "opwright/symbolic/shape_env/sizes.h"
#include "opwright/symint.h"
#include "opwright/tensor.h"
#include "opwright/tensor/dim_order.h"
#include "opwright/tensor/view.h"

namespace opwright {
namespace {

constexpr const char* kNames[] = {"contiguous", "preserve", "channels_last", "channels_last_3d"};

// Dimensions from the innermost in memory to the outermost; those of equal strides in contiguous
// order. An insertion sort: symbols that cannot be compared have no order.
template <class Int>
SmallVector<size_t, kInlineDims> order_by_stride(std::span<const Int> strides) {
  SmallVector<size_t, kInlineDims> order;
  for (size_t dim = strides.size(); dim-- > 0;) {
    size_t place = order.size();
    while (place > 0 && is_laid_less(strides[dim], strides[order[place - 1]])) --place;
    order.insert(order.begin() + place, dim);
  }
  return order;
}

// The dimension order of a dense copy, innermost first. A repeated one (stride 0) has no order.
template <class Int>
SmallVector<size_t, kInlineDims> order_for_copy(std::span<const Int> sizes,
                                                std::span<const Int> strides) {
  return order_dims(sizes.size(), [&](size_t inner, size_t outer) {
    return compare_dims(sizes, strides, inner, outer);
  });
}

// PyTorch's test: an N11 size is ambiguous, so a stride of N that equals that of C means
// contiguous.
template <class Int>
bool has_channels_last_order(std::span<const Int> sizes, std::span<const Int> strides,
                             std::span<const size_t> order) {
  if (is_known_equal(strides[1], Int(0))) return false;
  Int least = 0;
  for (const size_t dim : order) {
    if (is_known_equal(sizes[dim], Int(0)) || is_laid_less(strides[dim], least)) return false;
    if (dim == 0 && is_laid_equal(least, strides[1])) return false;
    least = strides[dim];
    if (!is_laid_equal(sizes[dim], Int(1))) least = least * sizes[dim];
  }
  return true;
}

template <class Int>
bool is_dense_layout(std::span<const Int> sizes, std::span<const Int> strides) {
  if (std::ranges::any_of(sizes, [](const Int& size) { return is_known_equal(size, Int(0)); }))
    return true;
  Int expected = 1;
  for (const size_t dim : order_by_stride(strides)) {
    if (is_laid_equal(sizes[dim], Int(1))) continue;
    if (!is_laid_equal(strides[dim], expected)) return false;
    expected = expected * sizes[dim];
  }
  return true;
}

template <class Int>
MemoryFormat suggest_format(std::span<const Int> sizes, std::span<const Int> strides) {
  constexpr size_t kOrder[] = {1, 3, 2, 0};
  constexpr size_t kOrder3d[] = {1, 4, 3, 2, 0};
  if (sizes.size() == 4 && has_channels_last_order<Int>(sizes, strides, kOrder))
    return MemoryFormat::ChannelsLast;
  if (sizes.size() == 5 && has_channels_last_order<Int>(sizes, strides, kOrder3d))
    return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

template <class Int>
SmallVector<Int, kInlineDims> preserved_strides(std::span<const Int> sizes,
                                                std::span<const Int> strides) {
  if (is_dense_layout(sizes, strides)) return SmallVector<Int, kInlineDims>(strides);
  SmallVector<Int, kInlineDims> dense(sizes.size());
  Int next = 1;
  for (const size_t dim : order_for_copy(sizes, strides)) {
    dense[dim] = next;
    next = next * at_least_one(sizes[dim]);
  }
  return dense;
}

// The strides of newly created dense memory: the usual case, which queries no symbol.
bool are_exactly_contiguous(std::span<const SymInt> sizes, std::span<const SymInt> strides) {
  return std::ranges::equal(contiguous_strides(sizes), strides,
                            [](const SymInt& a, const SymInt& b) { return a.word() == b.word(); });
}

}  // namespace

const char* memory_format_name(MemoryFormat format) {
  const auto index = static_cast<size_t>(format);
  OPWRIGHT_CHECK_VALUE(index < std::size(kNames), "there is no memory format ", index);
  return kNames[index];
}

MemoryFormat parse_memory_format(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<MemoryFormat>(found - std::begin(kNames));
  const auto nearest = closest(name, kNames);
  throw_error("ValueError", "unknown memory format '", name, "'; ",
              nearest ? "did you mean '" + *nearest + "'? " : "",
              "known: contiguous, preserve, channels_last, channels_last_3d");
}

bool is_non_overlapping_and_dense(std::span<const int64_t> sizes,
                                  std::span<const int64_t> strides) {
  return is_dense_layout(sizes, strides);
}
bool is_non_overlapping_and_dense(std::span<const SymInt> sizes, std::span<const SymInt> strides) {
  return are_exactly_contiguous(sizes, strides) || is_dense_layout(sizes, strides);
}

MemoryFormat suggest_memory_format(std::span<const int64_t> sizes,
                                   std::span<const int64_t> strides) {
  return suggest_format(sizes, strides);
}
MemoryFormat suggest_memory_format(std::span<const SymInt> sizes, std::span<const SymInt> strides) {
  const auto plain_sizes = as_plain(sizes);
  const auto plain_strides = as_plain(strides);
  if (plain_sizes && plain_strides) return suggest_format(*plain_sizes, *plain_strides);
  if (are_exactly_contiguous(sizes, strides)) return MemoryFormat::Contiguous;
  return suggest_format(sizes, strides);
}
MemoryFormat suggest_memory_format(const Tensor& tensor) {
  if (!tensor.is_symbolic()) return suggest_format(tensor.sizes(), tensor.strides());
  const SymGeometry geometry = sym_geometry_of(tensor);
  return suggest_memory_format(geometry.sizes, geometry.strides);
}

Sizes strides_for_format(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return contiguous_strides(sizes, format);
  return preserved_strides(sizes, strides);
}
SymSizes strides_for_format(std::span<const SymInt> sizes, std::span<const SymInt> strides,
                            MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return contiguous_strides(sizes, format);
  if (are_exactly_contiguous(sizes, strides)) return SymSizes(strides);
  return preserved_strides(sizes, strides);
}

}  // namespace opwright
