// Which elements of a storage sizes and strides reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/visibility.h"

namespace opwright {

// Offsets in elements from the first one; strides may be negative. Nothing is reached when a size
// is 0.
struct Extent {
  bool is_empty;
  int64_t lowest;   // 0 or below
  int64_t highest;  // 0 or above, itself reached

  // From the lowest element to the highest one, both included.
  [[nodiscard]] int64_t length() const noexcept { return is_empty ? 0 : highest - lowest + 1; }
};

// None when a size is negative or a number does not fit in 62 bits (the product of sizes neither
// with 0 taken as 1). Both lists have the same length.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<Extent> find_extent(
    std::span<const int64_t> sizes, std::span<const int64_t> strides) noexcept;

// The bytes of `elements` elements of `item_size` bytes; none when they do not fit in 62 bits.
[[nodiscard]] std::optional<int64_t> bytes_of(int64_t elements, size_t item_size) noexcept;

// ValueError "who: size -1 of dimension 0 is negative in [-1, 2]".
void check_sizes(std::span<const int64_t> sizes, const char* who);

}  // namespace opwright
