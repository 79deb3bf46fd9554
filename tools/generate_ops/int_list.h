// Lists of ints as parameters of functions: spans that a braced list, a vector or another span
// converts to.
//
// As every span they own nothing; a braced list lives until the end of the call that it is written
// in.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <span>

#include "opwright/symint.h"

namespace opwright OPWRIGHT_VISIBILITY {
template <class Range, class Element>
concept ContiguousRangeOf =
    std::ranges::contiguous_range<const Range> && std::ranges::sized_range<const Range> &&
    std::same_as<std::ranges::range_value_t<const Range>, Element>;

class IntList : public std::span<const int64_t> {
 public:
  IntList() = default;
  // NOLINTBEGIN(google-explicit-constructor): stands in for the list that was written
  IntList(std::initializer_list<int64_t> list) : span(list.begin(), list.size()) {}
  template <ContiguousRangeOf<int64_t> Range>
  IntList(const Range& range) : span(std::ranges::data(range), std::ranges::size(range)) {}
  // NOLINTEND(google-explicit-constructor)
};

class SymIntList : public std::span<const SymInt> {
 public:
  SymIntList() = default;
  // NOLINTBEGIN(google-explicit-constructor): stands in for the list that was written
  SymIntList(std::initializer_list<SymInt> list) : span(list.begin(), list.size()) {}
  template <ContiguousRangeOf<SymInt> Range>
  SymIntList(const Range& range) : span(std::ranges::data(range), std::ranges::size(range)) {}
  template <ContiguousRangeOf<int64_t> Range>
  SymIntList(const Range& range)
      : SymIntList(of_ints({std::ranges::data(range), std::ranges::size(range)})) {}
  // NOLINTEND(google-explicit-constructor)

 private:
  // A plain int is its own word.
  static SymIntList of_ints(std::span<const int64_t> ints) {
    for (const int64_t value : ints) (void)SymInt(value);  // OverflowError for one that is not
    return SymIntList(std::span(reinterpret_cast<const SymInt*>(ints.data()), ints.size()));
  }
};

// `int[]?`: a list or nothing.
template <class List, class Element>
class OptionalList : public std::optional<std::span<const Element>> {
 public:
  // NOLINTBEGIN(google-explicit-constructor): stands in for the list that was written
  OptionalList() = default;
  OptionalList(std::nullopt_t) {}
  OptionalList(std::initializer_list<Element> list) : OptionalList(List(list)) {}
  OptionalList(List list) : std::optional<std::span<const Element>>(list) {}
  template <class Range>
    requires std::convertible_to<const Range&, List>
  OptionalList(const Range& range) : OptionalList(List(range)) {}
  // NOLINTEND(google-explicit-constructor)
};
using OptionalIntList = OptionalList<IntList, int64_t>;
using OptionalSymIntList = OptionalList<SymIntList, SymInt>;
}  // namespace opwright
