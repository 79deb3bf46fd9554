#include "opwright/symbolic/expression/interval.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/expression/wide_int.h"

namespace opwright {
namespace {

constexpr int64_t kMinusInfinity = INT64_MIN;
constexpr int64_t kInfinity = INT64_MAX;

bool is_infinite(int64_t end) { return end == kMinusInfinity || end == kInfinity; }

int64_t clamp(WideInt value) {
  if (value >= kInfinity) return kInfinity;
  if (value <= kMinusInfinity) return kMinusInfinity;
  return static_cast<int64_t>(value);
}

int64_t multiply_clamped(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (is_infinite(a) || is_infinite(b)) return (a < 0) == (b < 0) ? kInfinity : kMinusInfinity;
  return clamp(static_cast<WideInt>(a) * b);
}

// A lower end that was clamped at the top is a plain number, not unbounded.
SymRange as_bounds(int64_t least, int64_t greatest) {
  return {std::min(least, kInfinity - 1), std::max(greatest, kMinusInfinity + 1)};
}

// floor(a / b) for b > 0.
int64_t quotient(int64_t a, int64_t b) {
  if (is_infinite(a)) return a;  // an unbounded divisor is handled at its other end
  if (b == kInfinity) return a < 0 ? -1 : 0;
  return a / b - (a % b < 0 ? 1 : 0);
}

SymRange negate_range(const SymRange& range) {
  const auto minus = [](int64_t end) {
    if (end == kInfinity) return kMinusInfinity;
    return end == kMinusInfinity ? kInfinity : -end;
  };
  return {minus(range.greatest), minus(range.least)};
}

SymRange unite(const SymRange& a, const SymRange& b) {
  if (is_empty(a)) return b;
  if (is_empty(b)) return a;
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

constexpr SymRange kEmpty{1, 0};

SymRange divide_by_positive(const SymRange& a, const SymRange& b) {
  if (is_empty(b)) return kEmpty;
  const int64_t ends[] = {quotient(a.least, b.least), quotient(a.least, b.greatest),
                          quotient(a.greatest, b.least), quotient(a.greatest, b.greatest)};
  return {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

SymRange modulo_positive(const SymRange& a, const SymRange& b) {
  if (is_empty(b)) return kEmpty;
  if (a.least >= 0 && a.greatest < b.least) return a;
  const int64_t below = b.greatest == kInfinity ? kInfinity : b.greatest - 1;
  return {0, a.least >= 0 ? std::min(a.greatest, below) : below};
}

template <class Operation>
SymRange by_sign_of_divisor(const SymRange& b, const Operation& operation) {
  if (b.least == 0 && b.greatest == 0) return {};  // an error; nothing is claimed
  const SymRange positive = intersect(b, {1, kInfinity});
  const SymRange negative = intersect(b, {kMinusInfinity, -1});
  return unite(operation(positive, false), operation(negate_range(negative), true));
}

}  // namespace

SymRange add(const SymRange& a, const SymRange& b) noexcept {
  const auto sum = [](int64_t x, int64_t y, int64_t bound) {
    return x == bound || y == bound ? bound : clamp(static_cast<WideInt>(x) + y);
  };
  return as_bounds(sum(a.least, b.least, kMinusInfinity), sum(a.greatest, b.greatest, kInfinity));
}

SymRange multiply(const SymRange& a, const SymRange& b) noexcept {
  const int64_t ends[] = {multiply_clamped(a.least, b.least), multiply_clamped(a.least, b.greatest),
                          multiply_clamped(a.greatest, b.least),
                          multiply_clamped(a.greatest, b.greatest)};
  return as_bounds(*std::ranges::min_element(ends), *std::ranges::max_element(ends));
}

SymRange power(const SymRange& base, uint32_t exponent) noexcept {
  SymRange result = base;
  for (uint32_t i = 1; i < exponent; ++i) result = multiply(result, base);
  if (exponent % 2 == 0) {
    result.least = std::max<int64_t>(result.least, 0);
    if (base.least > 0 || base.greatest < 0) result.least = std::max<int64_t>(result.least, 1);
  }
  return result;
}

SymRange floor_divide(const SymRange& a, const SymRange& b) noexcept {
  return by_sign_of_divisor(b, [&](const SymRange& divisor, bool is_negated) {
    if (is_empty(divisor)) return kEmpty;
    return divide_by_positive(is_negated ? negate_range(a) : a, divisor);
  });
}

SymRange modulo(const SymRange& a, const SymRange& b) noexcept {
  return by_sign_of_divisor(b, [&](const SymRange& divisor, bool is_negated) {
    if (is_empty(divisor)) return kEmpty;
    return is_negated ? negate_range(modulo_positive(negate_range(a), divisor))
                      : modulo_positive(a, divisor);
  });
}

SymRange maximum(const SymRange& a, const SymRange& b) noexcept {
  return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
}
SymRange minimum(const SymRange& a, const SymRange& b) noexcept {
  return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
}
SymRange intersect(const SymRange& a, const SymRange& b) noexcept {
  return {std::max(a.least, b.least), std::min(a.greatest, b.greatest)};
}

std::string to_text(const SymRange& range) {
  const std::string least = range.least == kMinusInfinity ? "-inf" : concatenate(range.least);
  const std::string greatest = range.greatest == kInfinity ? "inf" : concatenate(range.greatest);
  return concatenate("[", least, ", ", greatest, "]");
}

SymRange range_of_comparison(ExpressionKind kind, const SymRange& range) noexcept {
  const bool can_be_zero = contains(range, 0);
  const bool is_zero = range.least == 0 && range.greatest == 0;
  switch (kind) {
    case ExpressionKind::Equal:
      return {is_zero ? 1 : 0, can_be_zero ? 1 : 0};
    case ExpressionKind::NotEqual:
      return {can_be_zero ? 0 : 1, is_zero ? 0 : 1};
    default:
      return {range.greatest <= 0 ? 1 : 0, range.least <= 0 ? 1 : 0};
  }
}

}  // namespace opwright
