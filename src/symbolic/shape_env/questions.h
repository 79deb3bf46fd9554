// Queries on sizes and strides that differ between ints and SymInts, so that algorithms over them
// are written once.
//
// A query on a symbol is a guard if its value in this run is known; if it is known only at run
// time, the answer is no.
#pragma once

#include <algorithm>
#include <cstdint>
#include <source_location>

#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

[[nodiscard]] inline bool is_known_equal(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a == b;
}
[[nodiscard]] inline bool is_known_equal(
    const SymInt& a, const SymInt& b,
    std::source_location where = std::source_location::current()) {
  return a.word() == b.word() || guard_or_false(SymOperand(a, where) == SymOperand(b, where));
}

[[nodiscard]] inline bool is_known_less(
    int64_t a, int64_t b, std::source_location /*where*/ = std::source_location::current()) {
  return a < b;
}
[[nodiscard]] inline bool is_known_less(
    const SymInt& a, const SymInt& b,
    std::source_location where = std::source_location::current()) {
  return a.word() != b.word() && guard_or_false(SymOperand(a, where) < SymOperand(b, where));
}

// Whether it holds for all values of the symbols, as far as their owner can tell: no guard.
[[nodiscard]] inline bool holds_always(bool condition) { return condition; }
[[nodiscard]] inline bool holds_always(const SymBool& condition) {
  if (!condition.is_symbolic()) return condition.value().word() != 0;
  const ShapeEnv* environment = shape_env_of(condition.value());
  return environment && environment->decide(condition.value()).value_or(false);
}

// Whether it is that plain int: no guard, and false for a symbol.
[[nodiscard]] inline bool is_plain_int(int64_t value, int64_t wanted) { return value == wanted; }
[[nodiscard]] inline bool is_plain_int(const SymInt& value, int64_t wanted) {
  return value.word() == wanted;
}

[[nodiscard]] inline int64_t at_least_one(int64_t size) { return std::max<int64_t>(size, 1); }
[[nodiscard]] inline SymInt at_least_one(const SymInt& size) {
  SymInt result = sym_max(size, 1);
  if (!result.is_symbolic() || result.word() == size.word()) return result;
  return holds_always(size >= 1) ? size : result;
}

// Simplified with what was learned since the expression was created.
[[nodiscard]] inline int64_t simplified(int64_t value) { return value; }
[[nodiscard]] inline SymInt simplified(const SymInt& value) {
  const ShapeEnv* environment = shape_env_of(value);
  return environment ? environment->simplify(value) : value;
}

}  // namespace opwright
