#include "opwright/symbolic/expression/polynomial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

[[noreturn, gnu::cold]] void throw_coefficient_overflow() {
  throw_error("OverflowError", "a symbolic int has a coefficient that leaves 64 bits");
}

void check_size(size_t terms) {
  OPWRIGHT_CHECK_KIND("OverflowError", terms <= kMostTerms, "a symbolic int has more than ",
                      kMostTerms, " terms when it is multiplied out");
}

OpwSymWord product_of(ExpressionPool& pool, const Factors& factors) {
  if (factors.empty()) return 1;
  if (factors.size() == 1) return factors[0];
  return word_of(pool.intern_operands(ExpressionKind::Product, {factors.data(), factors.size()}));
}

const Expression* multiply_monomials(ExpressionPool& pool, const Expression& a,
                                     const Expression& b) {
  const Factors x = factors_of(a);
  const Factors y = factors_of(b);
  Factors both(x.size() + y.size());
  std::merge(x.begin(), x.end(), y.begin(), y.end(), both.begin(),
             [](OpwSymWord l, OpwSymWord r) { return compare(l, r) < 0; });
  return &expression_of(product_of(pool, both));
}

}  // namespace

int64_t checked_add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result) || result == INT64_MIN) throw_coefficient_overflow();
  return result;
}
int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || result == INT64_MIN) throw_coefficient_overflow();
  return result;
}
int64_t floor_quotient(int64_t a, int64_t b) noexcept {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
int64_t floor_remainder(int64_t a, int64_t b) noexcept {
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
int64_t greatest_divisor(int64_t a, int64_t b) noexcept { return std::gcd(a, b); }

Polynomial Polynomial::of(OpwSymWord word) {
  Polynomial result;
  if (!is_symbolic(word)) {
    result.constant = word;
    return result;
  }
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::Sum) {
    result.constant = expression.constant;
    result.terms.append(expression.terms.begin(), expression.terms.end());
  } else {
    result.terms.push_back({&expression, 1});
  }
  return result;
}

Polynomial add(const Polynomial& a, const Polynomial& b, int64_t scale) {
  Polynomial result;
  result.constant = checked_add(a.constant, checked_multiply(scale, b.constant));
  result.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0;
  size_t j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    int first = 0;
    if (i == a.terms.size()) {
      first = 1;
    } else if (j == b.terms.size()) {
      first = -1;
    } else {
      first = compare(*a.terms[i].monomial, *b.terms[j].monomial);
    }
    SumTerm term{};
    if (first <= 0) term = a.terms[i++];
    if (first >= 0) {
      const SumTerm& other = b.terms[j++];
      term.monomial = other.monomial;
      term.coefficient = checked_add(term.coefficient, checked_multiply(scale, other.coefficient));
    }
    if (term.coefficient != 0) result.terms.push_back(term);
  }
  check_size(result.terms.size());
  return result;
}

Polynomial plus_constant(Polynomial polynomial, int64_t more) {
  polynomial.constant = checked_add(polynomial.constant, more);
  return polynomial;
}

Polynomial scale(const Polynomial& a, int64_t factor) {
  Polynomial result;
  if (factor == 0) return result;
  result.constant = checked_multiply(a.constant, factor);
  for (const SumTerm& term : a.terms) {
    result.terms.push_back({term.monomial, checked_multiply(term.coefficient, factor)});
  }
  return result;
}

void normalise(Polynomial& polynomial) {
  auto& terms = polynomial.terms;
  std::sort(terms.begin(), terms.end(), [](const SumTerm& a, const SumTerm& b) {
    return compare(*a.monomial, *b.monomial) < 0;
  });
  size_t kept = 0;
  for (size_t i = 0; i < terms.size();) {
    SumTerm term = terms[i++];
    for (; i < terms.size() && terms[i].monomial == term.monomial; ++i) {
      term.coefficient = checked_add(term.coefficient, terms[i].coefficient);
    }
    if (term.coefficient != 0) terms[kept++] = term;
  }
  terms.erase(terms.begin() + kept, terms.end());
}

Polynomial multiply(ExpressionPool& pool, const Polynomial& a, const Polynomial& b) {
  if (a.is_constant()) return scale(b, a.constant);
  if (b.is_constant()) return scale(a, b.constant);
  check_size(a.terms.size() * b.terms.size());
  Polynomial result;
  result.constant = checked_multiply(a.constant, b.constant);
  for (const SumTerm& x : a.terms) {
    for (const SumTerm& y : b.terms) {
      result.terms.push_back({multiply_monomials(pool, *x.monomial, *y.monomial),
                              checked_multiply(x.coefficient, y.coefficient)});
    }
  }
  const auto append_scaled = [&](const Polynomial& from, int64_t factor) {
    if (factor == 0) return;
    for (const SumTerm& term : from.terms) {
      result.terms.push_back({term.monomial, checked_multiply(term.coefficient, factor)});
    }
  };
  append_scaled(a, b.constant);
  append_scaled(b, a.constant);
  normalise(result);
  return result;
}

int64_t content(const Polynomial& polynomial) noexcept {
  int64_t divisor = 0;
  for (const SumTerm& term : polynomial.terms) {
    divisor = greatest_divisor(divisor, term.coefficient);
  }
  return divisor;
}

Factors factors_of(const Expression& monomial) {
  if (monomial.kind == ExpressionKind::Product) {
    return {monomial.operands.begin(), monomial.operands.end()};
  }
  return {word_of(monomial)};
}

OpwSymWord divide_monomial(ExpressionPool& pool, const Expression& monomial,
                           const Expression& divisor, bool* divides) {
  Factors rest = factors_of(monomial);
  *divides = true;
  for (const OpwSymWord factor : factors_of(divisor)) {
    const auto* found = std::find(rest.begin(), rest.end(), factor);
    if (found == rest.end()) {
      *divides = false;
      return 0;
    }
    rest.erase(found);
  }
  return product_of(pool, rest);
}

SymRange made_range(const Polynomial& polynomial) {
  SymRange sum{polynomial.constant, polynomial.constant};
  for (const SumTerm& term : polynomial.terms) {
    sum = add(sum, multiply({term.coefficient, term.coefficient}, term.monomial->range));
  }
  return sum;
}

OpwSymWord intern(ExpressionPool& pool, const Polynomial& polynomial) {
  if (polynomial.is_constant()) {
    OPWRIGHT_CHECK_KIND("OverflowError", polynomial.constant >= kOpwSmallestInt,
                        "SymInt: ", polynomial.constant, " is below -2^62");
    return polynomial.constant;
  }
  const SumTerm& first = polynomial.terms[0];
  if (polynomial.terms.size() == 1 && polynomial.constant == 0 && first.coefficient == 1) {
    return word_of(*first.monomial);
  }
  return word_of(
      pool.intern_sum({polynomial.terms.data(), polynomial.terms.size()}, polynomial.constant));
}

}  // namespace opwright
