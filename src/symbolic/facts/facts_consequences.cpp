// Consequences of a new fact for the others: conditions that now read differently, ranges that
// follow from ranges.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr int kMostConsequenceRounds = 12;

// The largest x with x^exponent <= value, which is not negative.
int64_t root(int64_t value, uint32_t exponent) {
  int64_t low = 0;
  int64_t high = value;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2 + 1;
    if (power({middle, middle}, exponent).least <= value) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

// Updates the conditions until nothing changes.
bool Facts::settle() {
  for (int round = 0; round < kMostConsequenceRounds; ++round) {
    if (version_ != settled_at_) {
      settled_at_ = version_;
      num_settled_ = 0;
      for (const OpwSymWord condition : std::exchange(conditions_, {})) {
        const OpwSymWord now = rewrite(condition);
        const bool may_narrow = expression_of(condition).kind == ExpressionKind::NotEqual;
        if (now == condition && !may_narrow) {
          conditions_.push_back(condition);
        } else if (!add(now)) {
          return false;
        }
      }
      if (!settle_narrowed()) return false;
    }
    for (; num_settled_ < conditions_.size(); ++num_settled_) {
      const Expression& expression = expression_of(conditions_[num_settled_]);
      const bool is_equality = expression.kind == ExpressionKind::Equal;
      if (!is_equality && expression.kind != ExpressionKind::AtMost) continue;
      if (!propagate(Polynomial::of(expression.operands[0]), is_equality)) return false;
    }
    if (version_ == settled_at_) break;
  }
  return true;
}

// Transfers what was learned about an expression to its new form.
bool Facts::settle_narrowed() {
  for (const Expression* expression : std::exchange(narrowed_, {})) {
    const OpwSymWord now = rebuild(*expression);
    if (now == word_of(*expression)) {
      narrowed_.push_back(expression);
      if (!propagate_parts(*expression)) return false;
      continue;
    }
    if (!bound(now, known(*expression).narrowed)) return false;
  }
  return true;
}

// Narrows each monomial of p <= 0 by the ranges of the other terms.
bool Facts::propagate(const Polynomial& polynomial, bool is_equality) {
  for (const SumTerm& term : polynomial.terms) {
    SymRange others{polynomial.constant, polynomial.constant};
    for (const SumTerm& other : polynomial.terms) {
      if (&other == &term) continue;
      others = opwright::add(others, opwright::multiply({other.coefficient, other.coefficient},
                                                        range(word_of(*other.monomial))));
    }
    // c * x <= -others, and >= -others for an equality.
    if (!is_equality) others.greatest = INT64_MAX;
    if (others.least == INT64_MIN && others.greatest == INT64_MAX) continue;
    const SymRange product = opwright::multiply({-1, -1}, others);
    const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const SymRange values = term.coefficient < 0 ? opwright::multiply({-1, -1}, product) : product;
    const SymRange up = opwright::add(values, {size - 1, size - 1});
    const SymRange allowed{floor_divide(up, {size, size}).least,
                           floor_divide(values, {size, size}).greatest};
    const SymRange now = range(word_of(*term.monomial));
    if (allowed.least <= now.least && allowed.greatest >= now.greatest) continue;
    if (!narrow(*term.monomial, allowed)) return false;
  }
  return true;
}

// Factors of a bounded product are bounded if none is negative.
bool Facts::propagate_product(const Expression& product) {
  const SymRange values = range(word_of(product));
  const auto range_of = [&](OpwSymWord factor) { return range(factor); };
  if (std::ranges::any_of(product.operands, [&](OpwSymWord f) { return range(f).least < 0; })) {
    return true;
  }
  for (size_t i = 0; i < product.operands.size();) {
    const OpwSymWord factor = product.operands[i];
    const auto is_factor = [&](OpwSymWord word) { return word == factor; };
    const auto exponent = static_cast<uint32_t>(std::ranges::count_if(product.operands, is_factor));
    i += exponent;
    SymRange others{1, 1};
    for (const OpwSymWord other : product.operands) {
      if (other != factor) others = opwright::multiply(others, range_of(other));
    }
    SymRange allowed;
    if (values.least > 0) allowed.least = 1;
    if (values.greatest != INT64_MAX && others.least >= 1) {
      allowed.greatest = root(std::max<int64_t>(values.greatest, 0) / others.least, exponent);
    }
    if (values.least > 0 && others.greatest != INT64_MAX && others.greatest > 0) {
      const int64_t least = (values.least - 1) / others.greatest;  // the power is greater
      allowed.least = root(least, exponent) + 1;
    }
    const SymRange now = range(factor);
    if (allowed.least <= now.least && allowed.greatest >= now.greatest) continue;
    if (!narrow(expression_of(factor), allowed)) return false;
  }
  return true;
}

// Derives the operands of a quotient, a maximum or a minimum from its range.
bool Facts::propagate_parts(const Expression& expression) {
  const SymRange values = range(word_of(expression));
  switch (expression.kind) {
    case ExpressionKind::Product:
      return propagate_product(expression);
    case ExpressionKind::FloorDiv: {
      const OpwSymWord divisor = expression.operands[1];
      if (is_symbolic(divisor) || known(expression).is_base) return true;
      const SymRange numerators = opwright::multiply(values, {divisor, divisor});
      const SymRange above = opwright::add(numerators, {divisor - 1, divisor - 1});
      return bound(expression.operands[0], {numerators.least, above.greatest});
    }
    case ExpressionKind::Max:
    case ExpressionKind::Min: {
      const bool is_max = expression.kind == ExpressionKind::Max;
      const SymRange allowed{is_max ? INT64_MIN : values.least,
                             is_max ? values.greatest : INT64_MAX};
      return std::ranges::all_of(expression.operands,
                                 [&](OpwSymWord operand) { return bound(operand, allowed); });
    }
    default:
      return true;
  }
}

}  // namespace opwright
