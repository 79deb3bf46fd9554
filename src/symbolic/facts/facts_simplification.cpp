// Expressions for readers: applies proofs about divisions, maxima and conditions, and restores
// symbols that have a residue.
#include <cstddef>
#include <cstdint>
#include <optional>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/polynomial_division.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symint.h"

namespace opwright {

OpwSymWord Facts::simplify(OpwSymWord word) {
  if (!is_symbolic(word)) return word;
  if (expression_of(word).is_condition() && !may_divide_by_zero(word)) {
    if (const std::optional<bool> answer = decide(word)) return *answer ? 1 : 0;
  }
  return restore(rewrite(deepen(rewrite(word))));
}

// Processes the parts first.
OpwSymWord Facts::deepen(OpwSymWord word) {
  if (!is_symbolic(word)) return word;
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::Symbol || known(expression).is_base) return word;
  Parts parts = parts_of(expression);
  for (OpwSymWord& part : parts) part = deepen(part);
  const OpwSymWord changed = with_parts(expression, parts);
  if (!is_symbolic(changed)) return changed;
  const Expression& now = expression_of(changed);
  if (may_divide_by_zero(changed)) return changed;
  if (now.is_condition()) {
    const std::optional<bool> answer = decide(changed);
    return answer ? (*answer ? 1 : 0) : changed;
  }
  switch (now.kind) {
    case ExpressionKind::Max:
    case ExpressionKind::Min:
      return deepen_extreme(now);
    case ExpressionKind::FloorDiv:
    case ExpressionKind::Mod: {
      const SymRange values = tight_range(changed);
      return is_plain(values) ? values.least : changed;
    }
    case ExpressionKind::Product:
    case ExpressionKind::Sum:
      return cancel_quotients(Polynomial::of(changed));
    default:
      return changed;
  }
}

// The operands that no other operand covers.
OpwSymWord Facts::deepen_extreme(const Expression& extreme) {
  const OpwSymOp op = extreme.kind == ExpressionKind::Max ? kOpwSymGe : kOpwSymLe;
  SmallVector<OpwSymWord, 4> kept(extreme.operands.begin(), extreme.operands.end());
  for (size_t i = 0; i < kept.size();) {
    bool is_covered = false;
    for (size_t j = 0; j < kept.size() && !is_covered; ++j) {
      is_covered = i != j && decide(canonical_.apply(op, kept[j], kept[i])) == true;
    }
    if (is_covered) {
      kept.erase(kept.begin() + i);
    } else {
      ++i;
    }
  }
  return canonical_.extreme(extreme.kind, {kept.data(), kept.size()});
}

// 2*(x // 2) is x, and so is s0*(x // s0), if nothing is left over.
OpwSymWord Facts::cancel_quotients(const Polynomial& polynomial) {
  Polynomial result;
  result.constant = polynomial.constant;
  for (const SumTerm& term : polynomial.terms) {
    Polynomial value = scale(Polynomial::of(word_of(*term.monomial)), term.coefficient);
    for (const OpwSymWord factor : factors_of(*term.monomial)) {
      const Expression& atom = expression_of(factor);
      if (atom.kind != ExpressionKind::FloorDiv || known(atom).is_base) continue;
      const OpwSymWord divisor = atom.operands[1];
      bool divides = false;
      const OpwSymWord rest = divide_monomial(canonical_.pool(), *term.monomial, atom, &divides);
      const Polynomial factor_of_quotient = scale(Polynomial::of(rest), term.coefficient);
      const Quotient quotient = is_symbolic(divisor) ? divide(canonical_.pool(), factor_of_quotient,
                                                              Polynomial::of(divisor))
                                                     : divide(factor_of_quotient, divisor);
      if (!quotient.rest.is_constant() || quotient.rest.constant != 0) continue;
      const OpwSymWord left =
          canonical_.apply(kOpwSymEq, canonical_.mod(atom.operands[0], divisor), 0);
      if (decide(left) != true) continue;
      value =
          opwright::multiply(canonical_.pool(), quotient.whole, Polynomial::of(atom.operands[0]));
      break;
    }
    result = opwright::add(result, value);
  }
  return canonical_.sum(result);
}

// Restores symbols with a residue: 8*(s0//8) is s0, 4*(s0//8) is s0//2.
OpwSymWord Facts::restore(OpwSymWord word) const {
  if (!is_symbolic(word)) return word;
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::Symbol || known(expression).is_base) return word;
  if (expression.kind == ExpressionKind::Sum) {
    Polynomial sum;
    sum.constant = expression.constant;
    for (const SumTerm& term : expression.terms) sum = opwright::add(sum, restore_term(term));
    return canonical_.sum(sum);
  }
  Parts parts = parts_of(expression);
  for (OpwSymWord& part : parts) part = restore(part);
  return with_parts(expression, parts);
}

Polynomial Facts::restore_term(const SumTerm& term) const {
  int64_t coefficient = term.coefficient;
  Polynomial product = Polynomial::of(1);
  for (const OpwSymWord factor : factors_of(*term.monomial)) {
    const Expression& atom = expression_of(factor);
    OpwSymWord value = restore(factor);
    if (known(atom).is_base) {
      const Known& symbol = known(expression_of(atom.operands[0]));
      const int64_t common = greatest_divisor(coefficient, symbol.modulus);
      const int64_t left = symbol.modulus / common;
      coefficient /= common;
      const int64_t residue = symbol.residue;
      value = canonical_.apply(kOpwSymSub, canonical_.floor_div(atom.operands[0], left),
                               floor_quotient(residue, left));
    }
    product = opwright::multiply(canonical_.pool(), product, Polynomial::of(value));
  }
  return scale(product, coefficient);
}

}  // namespace opwright
