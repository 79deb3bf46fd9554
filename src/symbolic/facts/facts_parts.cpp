// Expressions rebuilt from changed parts.
#include <cstddef>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/facts/facts.h"

namespace opwright {

Facts::Parts Facts::parts_of(const Expression& expression) {
  Parts parts(expression.operands.begin(), expression.operands.end());
  for (const SumTerm& term : expression.terms) parts.push_back(word_of(*term.monomial));
  return parts;
}

OpwSymWord Facts::with_parts(const Expression& expression, const Parts& parts) const {
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
      for (size_t i = 0; i < parts.size(); ++i) {
        sum = opwright::add(sum, Polynomial::of(parts[i]), expression.terms[i].coefficient);
      }
      return canonical_.sum(sum);
    }
    case ExpressionKind::FloorDiv:  // an error stays in place
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
