#include "opwright/symbolic/expression/canonical.h"

#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/polynomial_division.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

bool is_single_value(const SymRange& range) { return range.least == range.greatest; }
bool is_zero(const Polynomial& polynomial) {
  return polynomial.is_constant() && polynomial.constant == 0;
}
// The quotient x // d when the polynomial is (x // d) + constant; else null.
const Expression* lone_quotient(const Polynomial& polynomial) {
  if (polynomial.terms.size() != 1 || polynomial.terms[0].coefficient != 1) return nullptr;
  const Expression* monomial = polynomial.terms[0].monomial;
  return monomial->kind == ExpressionKind::FloorDiv ? monomial : nullptr;
}

}  // namespace

SymRange NoRanges::range(OpwSymWord word) const {
  return is_symbolic(word) ? SymRange{} : SymRange{word, word};
}

SymRange Canonical::range(const Polynomial& polynomial) const {
  SymRange result{polynomial.constant, polynomial.constant};
  for (const SumTerm& term : polynomial.terms) {
    result = opwright::add(result, opwright::multiply({term.coefficient, term.coefficient},
                                                      range(word_of(*term.monomial))));
  }
  return result;
}

OpwSymWord Canonical::add_words(const Polynomial& a, OpwSymWord b, int64_t scale) const {
  return sum(opwright::add(a, Polynomial::of(b), scale));
}

OpwSymWord Canonical::apply(OpwSymOp op, OpwSymWord a, OpwSymWord b) const {
  const auto difference = [](OpwSymWord x, OpwSymWord y, int64_t more) {
    Polynomial result = opwright::add(Polynomial::of(x), Polynomial::of(y), -1);
    result.constant = checked_add(result.constant, more);
    return result;
  };
  const OpwSymWord both[] = {a, b};
  switch (op) {
    case kOpwSymAdd:
      return add_words(Polynomial::of(a), b);
    case kOpwSymSub:
      return add_words(Polynomial::of(a), b, -1);
    case kOpwSymMul:
      return sum(opwright::multiply(pool_, Polynomial::of(a), Polynomial::of(b)));
    case kOpwSymFloorDiv:
      return floor_div(a, b);
    case kOpwSymMod:
      return mod(a, b);
    case kOpwSymMax:
      return extreme(ExpressionKind::Max, both);
    case kOpwSymMin:
      return extreme(ExpressionKind::Min, both);
    case kOpwSymEq:
      return compare_zero(ExpressionKind::Equal, difference(a, b, 0));
    case kOpwSymNe:
      return compare_zero(ExpressionKind::NotEqual, difference(a, b, 0));
    case kOpwSymLt:
      return compare_zero(ExpressionKind::AtMost, difference(a, b, 1));
    case kOpwSymLe:
      return compare_zero(ExpressionKind::AtMost, difference(a, b, 0));
    case kOpwSymGt:
      return compare_zero(ExpressionKind::AtMost, difference(b, a, 1));
    case kOpwSymGe:
      return compare_zero(ExpressionKind::AtMost, difference(b, a, 0));
    case kOpwSymAnd:
    case kOpwSymOr: {
      const OpwSymWord conditions[] = {truth(a), truth(b)};
      return join(op == kOpwSymAnd ? ExpressionKind::And : ExpressionKind::Or, conditions);
    }
    case kOpwSymNot:
      return negate(truth(a));
  }
  throw_error("ValueError", "there is no operation ", static_cast<int>(op), " on symbolic ints");
}

// The range of 8*b*n - 8*b contains 0, but those of b and n - 1 need not.
bool Canonical::is_nonzero(OpwSymWord word) const {
  if (!contains(range(word), 0)) return true;
  Polynomial rest = Polynomial::of(word);
  for (const OpwSymWord factor : common_factors(rest)) {
    if (contains(range(factor), 0)) return false;
    rest = divide_by_atom(pool_, rest, expression_of(factor));
  }
  return !contains(range(rest), 0);
}

OpwSymWord Canonical::floor_div(OpwSymWord a, OpwSymWord b) const {
  OPWRIGHT_CHECK_KIND("ZeroDivisionError", b != 0, "division of a size by zero");
  const Polynomial numerator = Polynomial::of(a);
  if (!is_symbolic(b)) return divide_by_constant(numerator, b);
  if (is_nonzero(b)) return divide_by_nonzero(numerator, b);
  const OpwSymWord operands[] = {a, b};
  return word_of(pool_.intern_operands(ExpressionKind::FloorDiv, operands));
}

OpwSymWord Canonical::divide_by_constant(Polynomial numerator, int64_t divisor) const {
  if (divisor < 0) {
    numerator = scale(numerator, -1);
    divisor = -divisor;
  }
  auto [whole, rest] = divide(numerator, divisor);
  const int64_t common = greatest_divisor(content(rest), divisor);
  if (common > 1) {  // (4*s0 + 3) // 6 is (2*s0 + 1) // 3
    rest = divide(rest, common).whole;
    divisor /= common;
  }
  if (divisor == 1) return sum(opwright::add(whole, rest));
  if (rest.is_constant()) return sum(whole);  // below the divisor
  const SymRange values = floor_divide(range(rest), {divisor, divisor});
  if (is_single_value(values)) {
    whole.constant = checked_add(whole.constant, values.least);
    return sum(whole);
  }
  if (const Expression* inner = lone_quotient(rest)) {
    const OpwSymWord inner_divisor = inner->operands[1];
    if (!is_symbolic(inner_divisor) || rest.constant == 0) {  // (x // d + k) // c
      const Polynomial by = Polynomial::of(inner_divisor);
      const Polynomial all = opwright::add(Polynomial::of(inner->operands[0]), by, rest.constant);
      return add_words(whole, floor_div(sum(all), sum(scale(by, divisor))));
    }
  }
  const OpwSymWord operands[] = {sum(rest), divisor};
  return add_words(whole, word_of(pool_.intern_operands(ExpressionKind::FloorDiv, operands)));
}

OpwSymWord Canonical::divide_by_nonzero(const Polynomial& numerator, OpwSymWord divisor) const {
  auto [whole, rest] = divide(pool_, numerator, Polynomial::of(divisor));
  if (is_zero(rest)) return sum(whole);
  Polynomial by = Polynomial::of(divisor);
  const Polynomial common = take_common_factor(pool_, rest, by);
  if (!common.is_constant() || common.constant != 1) {
    return add_words(whole, floor_div(sum(rest), sum(by)));
  }
  const SymRange values = floor_divide(range(rest), range(divisor));
  if (is_single_value(values)) {
    whole.constant = checked_add(whole.constant, values.least);
    return sum(whole);
  }
  const Expression* inner = lone_quotient(rest);
  if (inner && rest.constant == 0 && range(divisor).least > 0) {  // (x // d) // b
    const Polynomial product = opwright::multiply(pool_, Polynomial::of(inner->operands[1]), by);
    return add_words(whole, floor_div(inner->operands[0], sum(product)));
  }
  const OpwSymWord operands[] = {sum(rest), divisor};
  return add_words(whole, word_of(pool_.intern_operands(ExpressionKind::FloorDiv, operands)));
}

OpwSymWord Canonical::mod(OpwSymWord a, OpwSymWord b) const {
  OPWRIGHT_CHECK_KIND("ZeroDivisionError", b != 0, "a size modulo zero");
  const Polynomial numerator = Polynomial::of(a);
  if (!is_symbolic(b)) return modulo_constant(numerator, b);
  if (is_nonzero(b)) return modulo_nonzero(numerator, b);
  const OpwSymWord operands[] = {a, b};
  return word_of(pool_.intern_operands(ExpressionKind::Mod, operands));
}

OpwSymWord Canonical::modulo_constant(Polynomial numerator, int64_t divisor) const {
  if (divisor < 0) {
    const OpwSymWord positive = modulo_constant(scale(numerator, -1), -divisor);
    return add_words({}, positive, -1);
  }
  for (const SumTerm& term : numerator.terms) {  // (x % 6) % 3 is x % 3
    const Expression& inner = *term.monomial;
    if (inner.kind != ExpressionKind::Mod || is_symbolic(inner.operands[1])) continue;
    if (inner.operands[1] % divisor != 0) continue;
    const Polynomial more =
        opwright::add(Polynomial::of(inner.operands[0]), Polynomial::of(word_of(inner)), -1);
    return modulo_constant(opwright::add(numerator, more, term.coefficient), divisor);
  }
  Polynomial rest = divide(numerator, divisor).rest;
  if (rest.is_constant()) return sum(rest);
  const SymRange values = range(rest);
  if (values.least >= 0 && values.greatest < divisor) return sum(rest);
  const int64_t common = greatest_divisor(content(rest), divisor);
  if (common > 1) {  // (4*s0 + 3) % 6 is 2*((2*s0 + 1) % 3) + 1
    Polynomial left;
    left.constant = floor_remainder(rest.constant, common);
    return add_words(left, modulo_constant(divide(rest, common).whole, divisor / common), common);
  }
  const OpwSymWord operands[] = {sum(rest), divisor};
  return word_of(pool_.intern_operands(ExpressionKind::Mod, operands));
}

OpwSymWord Canonical::modulo_nonzero(const Polynomial& numerator, OpwSymWord divisor) const {
  Polynomial by = Polynomial::of(divisor);
  Polynomial rest = divide(pool_, numerator, by).rest;
  if (is_zero(rest)) return 0;
  const Polynomial common = take_common_factor(pool_, rest, by);
  if (!common.is_constant() || common.constant != 1) {
    const OpwSymWord inner = mod(sum(rest), sum(by));
    return sum(opwright::multiply(pool_, common, Polynomial::of(inner)));
  }
  const SymRange values = range(rest);
  const SymRange divisors = range(divisor);
  if (values.least >= 0 && values.greatest < divisors.least) return sum(rest);
  const OpwSymWord operands[] = {sum(rest), divisor};
  return word_of(pool_.intern_operands(ExpressionKind::Mod, operands));
}

}  // namespace opwright
