// Lists of ints as function parameters: spans that a braced list, a vector or another span converts
// to.
//
// Like every span they own nothing; a braced list lives until the end of the call that contains it.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "opwright/symint.h"

namespace opwright OPWRIGHT_VISIBILITY {
// A vector, an array, a span, ...: matched by its members, since <ranges> takes longer to parse
// than all of these headers together.
template <class Range, class Element>
concept ContiguousRangeOf = requires(const Range& range) {
  { range.data() } -> std::convertible_to<const Element*>;
  { range.size() } -> std::convertible_to<size_t>;
};

class IntList : public std::span<const int64_t> {
 public:
  IntList() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
  IntList(std::initializer_list<int64_t> list) : span(list.begin(), list.size()) {}
  template <size_t N>
  IntList(const int64_t (&array)[N]) : span(array, N) {}
  template <ContiguousRangeOf<int64_t> Range>
  IntList(const Range& range) : span(range.data(), range.size()) {}
  // NOLINTEND(google-explicit-constructor)
};

class SymIntList : public std::span<const SymInt> {
 public:
  SymIntList() = default;
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
  SymIntList(std::initializer_list<SymInt> list) : span(list.begin(), list.size()) {}
  template <size_t N>
  SymIntList(const int64_t (&array)[N]) : SymIntList(of_ints({array, N})) {}
  template <ContiguousRangeOf<SymInt> Range>
  SymIntList(const Range& range) : span(range.data(), range.size()) {}
  template <ContiguousRangeOf<int64_t> Range>
  SymIntList(const Range& range) : SymIntList(of_ints({range.data(), range.size()})) {}
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
  // NOLINTBEGIN(google-explicit-constructor): converts from lists
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
