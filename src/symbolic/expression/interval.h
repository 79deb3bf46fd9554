// Interval arithmetic: the possible results of an operation whose operands are within their ranges.
// An end that exceeds 64 bits is unbounded. If a divisor may be 0, the range covers the other
// cases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

[[nodiscard]] SymRange add(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange multiply(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange power(const SymRange& base, uint32_t exponent) noexcept;
[[nodiscard]] SymRange floor_divide(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange modulo(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange maximum(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange minimum(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] SymRange intersect(const SymRange& a, const SymRange& b) noexcept;
[[nodiscard]] inline bool is_empty(const SymRange& range) { return range.least > range.greatest; }
// Whether it is a single value that a plain word can hold.
[[nodiscard]] inline bool is_plain(const SymRange& range) {
  return range.least == range.greatest && range.least >= kOpwSmallestInt;
}
[[nodiscard]] inline bool contains(const SymRange& range, int64_t value) {
  return range.least <= value && value <= range.greatest;
}

// "[2, inf]"
[[nodiscard]] std::string to_text(const SymRange& range);

// The range of `expression`; `range_of` returns the range of each word in it. Not for symbols.
template <class RangeOf>
[[nodiscard]] SymRange range_by_parts(const Expression& expression, const RangeOf& range_of);

// ---- Implementation ----

// The range of `p == 0`, ... for p in the range.
[[nodiscard]] SymRange range_of_comparison(ExpressionKind kind, const SymRange& range) noexcept;

template <class RangeOf>
SymRange range_of_product(const Expression& product, const RangeOf& range_of) {
  SymRange result{1, 1};
  for (size_t i = 0; i < product.operands.size();) {
    uint32_t exponent = 0;
    const OpwSymWord factor = product.operands[i];
    for (; i < product.operands.size() && product.operands[i] == factor; ++i) ++exponent;
    result = multiply(result, power(range_of(factor), exponent));
  }
  return result;
}

template <class RangeOf>
SymRange range_by_parts(const Expression& expression, const RangeOf& range_of) {
  const auto operands = expression.operands;
  switch (expression.kind) {
    case ExpressionKind::Symbol:
      break;
    case ExpressionKind::Product:
      return range_of_product(expression, range_of);
    case ExpressionKind::Sum: {
      SymRange sum{expression.constant, expression.constant};
      for (const SumTerm& term : expression.terms) {
        const SymRange factor{term.coefficient, term.coefficient};
        sum = add(sum, multiply(factor, range_of(word_of(*term.monomial))));
      }
      return sum;
    }
    case ExpressionKind::FloorDiv:
      return floor_divide(range_of(operands[0]), range_of(operands[1]));
    case ExpressionKind::Mod:
      return modulo(range_of(operands[0]), range_of(operands[1]));
    case ExpressionKind::Max:
    case ExpressionKind::Min: {
      SymRange result = range_of(operands[0]);
      for (const OpwSymWord operand : operands.subspan(1)) {
        result = expression.kind == ExpressionKind::Max ? maximum(result, range_of(operand))
                                                        : minimum(result, range_of(operand));
      }
      return result;
    }
    case ExpressionKind::Equal:
    case ExpressionKind::NotEqual:
    case ExpressionKind::AtMost:
      return range_of_comparison(expression.kind, range_of(operands[0]));
    case ExpressionKind::And:
    case ExpressionKind::Or: {
      SymRange result = range_of(operands[0]);
      for (const OpwSymWord operand : operands.subspan(1)) {
        result = expression.kind == ExpressionKind::Or ? maximum(result, range_of(operand))
                                                       : minimum(result, range_of(operand));
      }
      return result;
    }
  }
  return {};
}

}  // namespace opwright
