// Polynomial: a sum of products while it is being computed. Sorted terms, one for each monomial.
//
// OverflowError where a coefficient leaves 64 bits, or an expression becomes larger than anyone
// means.
#pragma once

#include <cstdint>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

struct Polynomial {
  SmallVector<SumTerm, 4> terms;
  int64_t constant = 0;

  [[nodiscard]] static Polynomial of(OpwSymWord word);
  [[nodiscard]] bool is_constant() const noexcept { return terms.empty(); }
};

[[nodiscard]] int64_t checked_add(int64_t a, int64_t b);
[[nodiscard]] int64_t checked_multiply(int64_t a, int64_t b);
// As in Python; `b` is not 0.
[[nodiscard]] int64_t floor_quotient(int64_t a, int64_t b) noexcept;
[[nodiscard]] int64_t floor_remainder(int64_t a, int64_t b) noexcept;
// Not negative; 0 for two zeros.
[[nodiscard]] int64_t greatest_divisor(int64_t a, int64_t b) noexcept;

// a + scale * b
[[nodiscard]] Polynomial add(const Polynomial& a, const Polynomial& b, int64_t scale = 1);
[[nodiscard]] inline Polynomial minus(const Polynomial& a, const Polynomial& b) {
  return add(a, b, -1);
}
[[nodiscard]] Polynomial plus_constant(Polynomial polynomial, int64_t more);
[[nodiscard]] Polynomial scale(const Polynomial& a, int64_t factor);
[[nodiscard]] Polynomial multiply(ExpressionPool& pool, const Polynomial& a, const Polynomial& b);
// Sorts, joins equal monomials, drops zeros.
void normalise(Polynomial& polynomial);

// The greatest divisor of all coefficients, without the constant; 0 when there is none.
[[nodiscard]] int64_t content(const Polynomial& polynomial) noexcept;

// monomial / divisor where every atom of the divisor is in it; null where one is not. The word 1
// for equal ones.
[[nodiscard]] OpwSymWord divide_monomial(ExpressionPool& pool, const Expression& monomial,
                                         const Expression& divisor, bool* divides);
// The sorted atoms of a monomial.
using Factors = SmallVector<OpwSymWord, 4>;
[[nodiscard]] Factors factors_of(const Expression& monomial);

// With the ranges that the symbols were made with.
[[nodiscard]] SymRange made_range(const Polynomial& polynomial);

// The word of it: a plain int, a monomial or a Sum.
[[nodiscard]] OpwSymWord intern(ExpressionPool& pool, const Polynomial& polynomial);

}  // namespace opwright
