// Requirements on sizes, written once for real tensors and for fake ones, whose sizes may be
// symbols.
//
// OPWRIGHT_CHECK needs an answer now; a requirement on a size that is known only at run time
// becomes an assertion of the program.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>

#include "opwright/error.h"
#include "opwright/symint.h"

namespace opwright {

template <class Message>
void demand(bool holds, const char* kind, const Message& message) {
  if (!holds) [[unlikely]]
    throw Error(kind, message());
}
template <class Message>
void demand(const SymBool& condition, const char* kind, const Message& message) {
  if (!condition.is_symbolic()) return demand(condition.value().word() != 0, kind, message);
  check(condition, message());
}

// Throws RuntimeError with the parts of the message, like OPWRIGHT_CHECK; for symbols, acts like
// check().
#define OPWRIGHT_DEMAND(condition, ...)           \
  ::opwright::demand((condition), "RuntimeError", \
                     [&] { return ::opwright::concatenate(__VA_ARGS__); })

[[nodiscard]] inline bool have_same_sizes(std::span<const int64_t> a, std::span<const int64_t> b) {
  return std::ranges::equal(a, b);
}
[[nodiscard]] inline SymBool have_same_sizes(
    std::span<const SymInt> a, std::span<const SymInt> b,
    std::source_location where = std::source_location::current()) {
  SymBool all{SymInt(a.size() == b.size() ? 1 : 0), where};
  for (size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
    if (a[i].word() != b[i].word())
      all = sym_and(all, SymOperand(a[i], where) == SymOperand(b[i], where));
  }
  return all;
}

}  // namespace opwright
