// The elements of a storage that sizes and strides reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/visibility.h"

namespace opwright {

// Offsets in elements from the first one; strides may be negative. Empty if a size is 0.
struct Extent {
  bool is_empty;
  int64_t lowest;   // 0 or below
  int64_t highest;  // 0 or above, inclusive

  // From the lowest element to the highest one, both included.
  [[nodiscard]] int64_t length() const noexcept { return is_empty ? 0 : highest - lowest + 1; }
};

// nullopt if a size is negative or a number does not fit in 62 bits (including the product of
// sizes with 0 counted as 1). Both lists have the same length.
[[nodiscard]] OPWRIGHT_EXPORT std::optional<Extent> find_extent(
    std::span<const int64_t> sizes, std::span<const int64_t> strides) noexcept;

// The bytes of `elements` elements of `item_size` bytes; nullopt if they do not fit in 62 bits.
[[nodiscard]] std::optional<int64_t> bytes_of(int64_t elements, size_t item_size) noexcept;

// Throws ValueError "who: size -1 of dimension 0 is negative in [-1, 2]".
void check_sizes(std::span<const int64_t> sizes, const char* who);

}  // namespace opwright
