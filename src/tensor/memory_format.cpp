#include "opwright/tensor/memory_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>

#include "opwright/base/small_vector.h"
#include "opwright/base/suggest.h"
#include "opwright/error.h"
#include "opwright/memory_format.h"
#include "opwright/symbolic/sizes.h"
#include "opwright/tensor/dim_order.h"

namespace opwright {
namespace {

constexpr const char* kNames[] = {"contiguous", "preserve", "channels_last", "channels_last_3d"};

// Dimensions from the innermost in memory to the outermost; those of equal strides as contiguous
// memory has them.
Sizes order_by_stride(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  Sizes order(sizes.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int64_t a_stride = strides[static_cast<size_t>(a)];
    const int64_t b_stride = strides[static_cast<size_t>(b)];
    return a_stride != b_stride ? a_stride < b_stride : a > b;
  });
  return order;
}

// Dimensions as a dense copy has them, innermost first. A repeated one (stride 0) tells nothing.
SmallVector<size_t, kInlineDims> order_for_copy(std::span<const int64_t> sizes,
                                                std::span<const int64_t> strides) {
  return order_dims(sizes.size(), [&](size_t inner, size_t outer) {
    if (strides[inner] == 0 || strides[outer] == 0) return 0;
    if (strides[inner] != strides[outer]) return strides[inner] < strides[outer] ? -1 : 1;
    return sizes[inner] > sizes[outer] ? 1 : 0;
  });
}

// PyTorch's test: an N11 size cannot tell, so a stride of N that equals that of C means contiguous.
bool has_channels_last_order(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                             std::span<const size_t> order) {
  if (strides[1] == 0) return false;
  int64_t least = 0;
  for (const size_t dim : order) {
    if (sizes[dim] == 0 || strides[dim] < least) return false;
    if (dim == 0 && least == strides[1]) return false;
    least = strides[dim];
    if (sizes[dim] > 1) least *= sizes[dim];
  }
  return true;
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
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return true;
  int64_t expected = 1;
  for (const int64_t dim : order_by_stride(sizes, strides)) {
    const auto i = static_cast<size_t>(dim);
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

MemoryFormat suggest_memory_format(std::span<const int64_t> sizes,
                                   std::span<const int64_t> strides) {
  constexpr size_t kOrder[] = {1, 3, 2, 0};
  constexpr size_t kOrder3d[] = {1, 4, 3, 2, 0};
  if (sizes.size() == 4 && has_channels_last_order(sizes, strides, kOrder))
    return MemoryFormat::ChannelsLast;
  if (sizes.size() == 5 && has_channels_last_order(sizes, strides, kOrder3d))
    return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

Sizes strides_for_format(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                         MemoryFormat format) {
  if (format != MemoryFormat::Preserve) return contiguous_strides(sizes, format);
  if (is_non_overlapping_and_dense(sizes, strides)) return Sizes(strides);
  Sizes dense(sizes.size());
  int64_t next = 1;
  for (const size_t dim : order_for_copy(sizes, strides)) {
    dense[dim] = next;
    next *= std::max<int64_t>(sizes[dim], 1);
  }
  return dense;
}

}  // namespace opwright
