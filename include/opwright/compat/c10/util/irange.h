// for (const auto i : c10::irange(n)): the ints from 0, or from a first one, up to n.
#pragma once

#include <concepts>
#include <ranges>
#include <type_traits>

#include "opwright/visibility.h"

namespace c10 OPWRIGHT_VISIBILITY {
// Empty when `end` is not above `begin`. The ints have the type of `end`.
template <std::integral Begin, std::integral End>
auto irange(Begin begin, End end) {
  const auto first = static_cast<End>(begin);
  return std::views::iota(first, end < first ? first : end);
}
template <std::integral End>
auto irange(End end) {
  return irange(End{0}, end);
}
}  // namespace c10
