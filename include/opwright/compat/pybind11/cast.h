// C++ types that pybind11 passes but schemas do not have: narrower numbers, and lists of them.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <vector>

#include "opwright/value.h"

namespace opwright OPWRIGHT_VISIBILITY {
template <class T>
concept NarrowNumber = (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, int64_t>) ||
                       std::same_as<T, float>;
// Narrower C++ types for a schema's `int` or `float`.
template <class T>
using WideNumber = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

// Throws OverflowError for an int that does not fit T; a float is rounded.
template <NarrowNumber T>
T narrow_number(WideNumber<T> number) {
  if constexpr (std::integral<T>) {
    if (!std::in_range<T>(number))
      throw_error("OverflowError", number, " does not fit the argument's C++ type");
  }
  return static_cast<T>(number);
}

template <NarrowNumber T>
struct ValueOf<T> {
  using Wide = ValueOf<WideNumber<T>>;
  static constexpr void write_type(TextWriter& out) { Wide::write_type(out); }
  static T read(const OpwValue& value) { return narrow_number<T>(Wide::read(value)); }
  static OpwValue lend(T number) { return Wide::lend(static_cast<WideNumber<T>>(number)); }
  static OpwValue give(T number) { return lend(number); }
  static T take(const OpwValue& value) { return read(value); }
};

template <NarrowNumber T>
struct ValueOf<std::vector<T>> {
  using Wide = ValueOf<std::vector<WideNumber<T>>>;
  static constexpr void write_type(TextWriter& out) { Wide::write_type(out); }
  static std::vector<T> read(const OpwValue& value) {
    std::vector<T> list;
    for (const WideNumber<T> number : Wide::read(value)) list.push_back(narrow_number<T>(number));
    return list;
  }
  static OpwValue give(const std::vector<T>& list) {
    return Wide::give({list.begin(), list.end()});
  }
};
}  // namespace opwright
