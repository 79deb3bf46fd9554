// Conditions, maxima and minima in canonical form.
#include <algorithm>
#include <cstdint>
#include <span>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/polynomial_division.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

using Words = SmallVector<OpwSymWord, 4>;

bool holds(ExpressionKind kind, int64_t value) {
  if (kind == ExpressionKind::Equal) return value == 0;
  return kind == ExpressionKind::NotEqual ? value != 0 : value <= 0;
}

void sort_and_join_equal(Words& words) {
  std::sort(words.begin(), words.end(),
            [](OpwSymWord a, OpwSymWord b) { return compare(a, b) < 0; });
  words.erase(std::unique(words.begin(), words.end()), words.end());
}

// Includes the operands of operands of the same kind.
Words flatten(ExpressionKind kind, std::span<const OpwSymWord> operands) {
  Words flat;
  for (const OpwSymWord operand : operands) {
    if (is_symbolic(operand) && expression_of(operand).kind == kind) {
      const auto inner = expression_of(operand).operands;
      flat.append(inner.begin(), inner.end());
    } else {
      flat.push_back(operand);
    }
  }
  return flat;
}

// Divides by the common divisor of all coefficients, rounding an inequality to integers. False: the
// equality has no integer solution.
bool divide_by_content(ExpressionKind kind, Polynomial& polynomial) {
  const int64_t divisor = content(polynomial);
  if (divisor > 1) {
    if (kind != ExpressionKind::AtMost && polynomial.constant % divisor != 0) return false;
    const int64_t constant = -floor_quotient(-polynomial.constant, divisor);
    for (SumTerm& term : polynomial.terms) term.coefficient /= divisor;
    polynomial.constant = constant;
  }
  if (kind != ExpressionKind::AtMost && polynomial.terms[0].coefficient < 0) {
    polynomial = scale(polynomial, -1);
  }
  return true;
}

}  // namespace

// Divides out positive atoms: s0*s1 == s0 becomes s1 == 1.
void Canonical::divide_common_factors(Polynomial& polynomial) const {
  for (const OpwSymWord factor : common_factors(polynomial)) {
    if (range(factor).least < 1) continue;
    polynomial = divide_by_atom(pool_, polynomial, expression_of(factor));
  }
}

OpwSymWord Canonical::compare_zero(ExpressionKind kind, Polynomial polynomial) const {
  if (polynomial.is_constant()) return holds(kind, polynomial.constant) ? 1 : 0;
  divide_common_factors(polynomial);
  if (polynomial.is_constant()) return holds(kind, polynomial.constant) ? 1 : 0;
  const SymRange known = range_of_comparison(kind, range(polynomial));
  if (known.least == known.greatest) return known.least;
  const SumTerm& first = polynomial.terms[0];
  if (polynomial.terms.size() == 1 && first.monomial->is_condition()) {  // (s0 == 2) == 1
    const bool if_false = holds(kind, polynomial.constant);
    const bool if_true = holds(kind, checked_add(polynomial.constant, first.coefficient));
    if (if_false == if_true) return if_true ? 1 : 0;
    const OpwSymWord condition = word_of(*first.monomial);
    return if_true ? condition : negate(condition);
  }
  if (!divide_by_content(kind, polynomial)) return kind == ExpressionKind::NotEqual ? 1 : 0;
  const OpwSymWord operands[] = {sum(polynomial)};
  return word_of(pool_.intern_operands(kind, operands));
}

OpwSymWord Canonical::truth(OpwSymWord word) const {
  if (!is_symbolic(word)) return word != 0 ? 1 : 0;
  if (expression_of(word).is_condition()) return word;
  return compare_zero(ExpressionKind::NotEqual, Polynomial::of(word));
}

OpwSymWord Canonical::negate(OpwSymWord condition) const {
  if (!is_symbolic(condition)) return condition == 0 ? 1 : 0;
  const Expression& expression = expression_of(condition);
  const auto operands = expression.operands;
  switch (expression.kind) {
    case ExpressionKind::Equal:
      return word_of(pool_.intern_operands(ExpressionKind::NotEqual, operands));
    case ExpressionKind::NotEqual:
      return word_of(pool_.intern_operands(ExpressionKind::Equal, operands));
    case ExpressionKind::AtMost: {
      Polynomial opposite = scale(Polynomial::of(operands[0]), -1);
      opposite.constant = checked_add(opposite.constant, 1);
      return compare_zero(ExpressionKind::AtMost, opposite);
    }
    default: {
      Words negated;
      for (const OpwSymWord operand : operands) negated.push_back(negate(operand));
      return join(expression.kind == ExpressionKind::And ? ExpressionKind::Or : ExpressionKind::And,
                  {negated.data(), negated.size()});
    }
  }
}

OpwSymWord Canonical::join(ExpressionKind kind, std::span<const OpwSymWord> conditions) const {
  const OpwSymWord neutral = kind == ExpressionKind::And ? 1 : 0;
  Words operands;
  for (const OpwSymWord condition : flatten(kind, conditions)) {
    const SymRange known = range(condition);
    const OpwSymWord word = known.least == known.greatest ? known.least : condition;
    if (word == 1 - neutral) return word;
    if (word != neutral) operands.push_back(word);
  }
  sort_and_join_equal(operands);
  for (const OpwSymWord operand : operands) {
    const OpwSymWord opposite = negate(operand);
    if (std::find(operands.begin(), operands.end(), opposite) != operands.end()) {
      return 1 - neutral;
    }
  }
  if (operands.empty()) return neutral;
  if (operands.size() == 1) return operands[0];
  return word_of(pool_.intern_operands(kind, {operands.data(), operands.size()}));
}

// Whether max(kept, dropped) (or min) is `kept` for all values of the symbols.
bool Canonical::is_always(ExpressionKind kind, OpwSymWord kept, OpwSymWord dropped) const {
  const Polynomial difference = opwright::add(Polynomial::of(kept), Polynomial::of(dropped), -1);
  const SymRange values = range(difference);
  return kind == ExpressionKind::Max ? values.least >= 0 : values.greatest <= 0;
}

OpwSymWord Canonical::extreme(ExpressionKind kind, std::span<const OpwSymWord> operands) const {
  Words flat = flatten(kind, operands);
  sort_and_join_equal(flat);
  Words kept;
  for (const OpwSymWord operand : flat) {
    const auto covers = [&](OpwSymWord other) { return is_always(kind, other, operand); };
    if (std::any_of(kept.begin(), kept.end(), covers)) continue;
    const auto covered = [&](OpwSymWord other) { return is_always(kind, operand, other); };
    kept.erase(std::remove_if(kept.begin(), kept.end(), covered), kept.end());
    kept.push_back(operand);
  }
  if (kept.size() == 1) return kept[0];
  return word_of(pool_.intern_operands(kind, {kept.data(), kept.size()}));
}

}  // namespace opwright
