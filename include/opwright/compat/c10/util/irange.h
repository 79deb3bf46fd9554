// for (const auto i : c10::irange(n)): the ints from 0, or from a given start, up to n.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
// Does not use <ranges>, which takes longer to parse than all of our headers.
template <class Int>
class IntegerRange {
 public:
  class iterator {  // NOLINT(readability-identifier-naming): the standard's name
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Int;
    using difference_type = std::ptrdiff_t;
    using pointer = const Int*;
    using reference = Int;

    explicit constexpr iterator(Int value) : value_(value) {}
    constexpr Int operator*() const { return value_; }
    constexpr iterator& operator++() {
      ++value_;
      return *this;
    }
    constexpr iterator operator++(int) {
      const iterator before = *this;
      ++value_;
      return before;
    }
    friend constexpr bool operator==(const iterator&, const iterator&) = default;

   private:
    Int value_;
  };

  constexpr IntegerRange(Int first, Int end) : first_(first), end_(end) {}
  [[nodiscard]] constexpr iterator begin() const { return iterator(first_); }
  [[nodiscard]] constexpr iterator end() const { return iterator(end_); }

 private:
  Int first_;
  Int end_;
};

// Empty when `end` is not above `begin`. The ints have the type of `end`.
template <std::integral Begin, std::integral End>
constexpr IntegerRange<End> irange(Begin begin, End end) {
  const auto first = static_cast<End>(begin);
  return {first, end < first ? first : end};
}
template <std::integral End>
constexpr IntegerRange<End> irange(End end) {
  return irange(End{0}, end);
}
}  // namespace c10
