#include "opwright/symbolic/expression/polynomial_division.h"

#include <algorithm>
#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr int kMostDivisionSteps = 32;

Polynomial term_of(OpwSymWord monomial, int64_t coefficient) {
  return scale(Polynomial::of(monomial), coefficient);
}

// A one-term divisor divides term by term, rounding the coefficients down.
Quotient divide_by_term(ExpressionPool& pool, const Polynomial& numerator, const SumTerm& divisor) {
  Quotient result;
  result.rest.constant = numerator.constant;
  for (const SumTerm& term : numerator.terms) {
    bool divides = false;
    const OpwSymWord monomial = divide_monomial(pool, *term.monomial, *divisor.monomial, &divides);
    const int64_t quotient = divides ? floor_quotient(term.coefficient, divisor.coefficient) : 0;
    if (quotient != 0) result.whole = add(result.whole, term_of(monomial, quotient));
    const int64_t left = term.coefficient - quotient * divisor.coefficient;
    if (left != 0) result.rest.terms.push_back({term.monomial, left});
  }
  return result;
}

// Long division; gives up if there would be a remainder.
Quotient divide_exactly(ExpressionPool& pool, const Polynomial& numerator,
                        const Polynomial& divisor) {
  Quotient result;
  result.rest = numerator;
  const SumTerm& lead = divisor.terms[0];
  for (int step = 0; step < kMostDivisionSteps && !result.rest.is_constant(); ++step) {
    const SumTerm& term = result.rest.terms[0];
    bool divides = false;
    const OpwSymWord monomial = divide_monomial(pool, *term.monomial, *lead.monomial, &divides);
    if (!divides || term.coefficient % lead.coefficient != 0) break;
    const Polynomial part = term_of(monomial, term.coefficient / lead.coefficient);
    result.whole = add(result.whole, part);
    result.rest = add(result.rest, multiply(pool, part, divisor), -1);
  }
  if (result.rest.is_constant() && result.rest.constant == 0) return result;
  return {{}, numerator};
}

}  // namespace

Quotient divide(const Polynomial& numerator, int64_t divisor) {
  Quotient result;
  result.whole.constant = floor_quotient(numerator.constant, divisor);
  result.rest.constant = floor_remainder(numerator.constant, divisor);
  for (const SumTerm& term : numerator.terms) {
    const int64_t quotient = floor_quotient(term.coefficient, divisor);
    const int64_t left = floor_remainder(term.coefficient, divisor);
    if (quotient != 0) result.whole.terms.push_back({term.monomial, quotient});
    if (left != 0) result.rest.terms.push_back({term.monomial, left});
  }
  return result;
}

Quotient divide(ExpressionPool& pool, const Polynomial& numerator, const Polynomial& divisor) {
  if (divisor.terms.size() == 1 && divisor.constant == 0) {
    return divide_by_term(pool, numerator, divisor.terms[0]);
  }
  return divide_exactly(pool, numerator, divisor);
}

Factors common_factors(const Polynomial& polynomial) {
  if (polynomial.constant != 0 || polynomial.is_constant()) return {};
  Factors common = factors_of(*polynomial.terms[0].monomial);
  for (const SumTerm& term : polynomial.terms) {
    Factors left = factors_of(*term.monomial);
    Factors both;
    for (const OpwSymWord factor : common) {
      const auto* found = std::find(left.begin(), left.end(), factor);
      if (found == left.end()) continue;
      left.erase(found);
      both.push_back(factor);
    }
    common = both;
  }
  return common;
}

Polynomial divide_by_atom(ExpressionPool& pool, const Polynomial& polynomial,
                          const Expression& atom) {
  Polynomial result;
  for (const SumTerm& term : polynomial.terms) {
    bool divides = false;
    const OpwSymWord monomial = divide_monomial(pool, *term.monomial, atom, &divides);
    if (is_symbolic(monomial)) {
      result.terms.push_back({&expression_of(monomial), term.coefficient});
    } else {
      result.constant = checked_add(result.constant, term.coefficient);
    }
  }
  normalise(result);
  return result;
}

Polynomial take_common_factor(ExpressionPool& pool, Polynomial& a, Polynomial& b) {
  Polynomial common;
  const auto whole_content = [](const Polynomial& polynomial) {
    return greatest_divisor(content(polynomial), polynomial.constant);
  };
  common.constant = greatest_divisor(whole_content(a), whole_content(b));
  if (common.constant > 1) {
    a = divide(a, common.constant).whole;
    b = divide(b, common.constant).whole;
  }
  Factors others = common_factors(b);
  for (const OpwSymWord factor : common_factors(a)) {
    const auto* found = std::find(others.begin(), others.end(), factor);
    if (found == others.end()) continue;
    others.erase(found);
    const Expression& atom = expression_of(factor);
    a = divide_by_atom(pool, a, atom);
    b = divide_by_atom(pool, b, atom);
    common = multiply(pool, common, Polynomial::of(factor));
  }
  return common;
}

}  // namespace opwright
