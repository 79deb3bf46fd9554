#include "opwright/tensor/extent.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/error.h"
#include "opwright/symbolic/shape_env/sizes.h"

namespace opwright {
namespace {

constexpr int64_t kLargest = (int64_t{1} << 62) - 1;

bool add_product(int64_t& sum, int64_t a, int64_t b) {
  int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(sum, product, &sum) &&
         sum <= kLargest && sum >= -kLargest;
}

}  // namespace

std::optional<Extent> find_extent(std::span<const int64_t> sizes,
                                  std::span<const int64_t> strides) noexcept {
  int64_t numel = 1;
  bool is_empty = false;
  for (const int64_t size : sizes) {
    // A size of 0 counts as 1, so that no order of multiplication overflows.
    const int64_t factor = std::max<int64_t>(size, 1);
    if (size < 0 || __builtin_mul_overflow(numel, factor, &numel) || numel > kLargest) {
      return std::nullopt;
    }
    is_empty = is_empty || size == 0;
  }
  if (is_empty) return Extent{.is_empty = true, .lowest = 0, .highest = 0};
  Extent extent{.is_empty = false, .lowest = 0, .highest = 0};
  for (size_t i = 0; i < sizes.size(); ++i) {
    int64_t& end = strides[i] < 0 ? extent.lowest : extent.highest;
    if (!add_product(end, sizes[i] - 1, strides[i])) return std::nullopt;
  }
  if (extent.highest - extent.lowest >= kLargest) return std::nullopt;
  return extent;
}

std::optional<int64_t> bytes_of(int64_t elements, size_t item_size) noexcept {
  int64_t bytes = 0;
  if (!add_product(bytes, elements, static_cast<int64_t>(item_size))) return std::nullopt;
  return bytes;
}

void check_sizes(std::span<const int64_t> sizes, const char* who) {
  for (size_t i = 0; i < sizes.size(); ++i) {
    OPWRIGHT_CHECK_VALUE(sizes[i] >= 0, who, ": size ", sizes[i], " of dimension ", i,
                         " is negative in ", to_text(sizes));
  }
}

}  // namespace opwright
