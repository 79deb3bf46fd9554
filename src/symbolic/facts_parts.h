// Facts::map_parts, for the files that implement Facts.
#pragma once

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/facts.h"
#include "opwright/symbolic/polynomial.h"

namespace opwright {

// The expression with each part changed, in canonical form again. Not for symbols.
template <class Change>
OpwSymWord Facts::map_parts(const Expression& expression, const Change& change) const {
  SmallVector<OpwSymWord, 4> parts;
  for (const OpwSymWord operand : expression.operands) parts.push_back(change(operand));
  switch (expression.kind) {
    case ExpressionKind::Symbol:
      break;
    case ExpressionKind::Product: {
      OpwSymWord product = 1;
      for (const OpwSymWord part : parts) product = canonical_.apply(kOpwSymMul, product, part);
      return product;
    }
    case ExpressionKind::Sum: {
      Polynomial sum;
      sum.constant = expression.constant;
      for (const SumTerm& term : expression.terms) {
        const Polynomial part = Polynomial::of(change(word_of(*term.monomial)));
        sum = opwright::add(sum, part, term.coefficient);
      }
      return canonical_.sum(sum);
    }
    case ExpressionKind::FloorDiv:  // an error stays where it is
      return parts[1] == 0 ? word_of(expression) : canonical_.floor_div(parts[0], parts[1]);
    case ExpressionKind::Mod:
      return parts[1] == 0 ? word_of(expression) : canonical_.mod(parts[0], parts[1]);
    case ExpressionKind::Max:
    case ExpressionKind::Min:
      return canonical_.extreme(expression.kind, {parts.data(), parts.size()});
    case ExpressionKind::Equal:
    case ExpressionKind::NotEqual:
    case ExpressionKind::AtMost:
      return canonical_.compare_zero(expression.kind, Polynomial::of(parts[0]));
    case ExpressionKind::And:
    case ExpressionKind::Or:
      return canonical_.join(expression.kind, {parts.data(), parts.size()});
  }
  return word_of(expression);
}

}  // namespace opwright
