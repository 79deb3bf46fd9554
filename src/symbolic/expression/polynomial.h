// Polynomial: a sum of products during computation. Sorted terms, one for each monomial.
//
// Throws OverflowError if a coefficient exceeds 64 bits or an expression becomes unreasonably
// large.
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
// Sorts, merges equal monomials, drops zeros.
void normalise(Polynomial& polynomial);

// The greatest common divisor of all coefficients, excluding the constant; 0 if there are none.
[[nodiscard]] int64_t content(const Polynomial& polynomial) noexcept;

// monomial / divisor if the monomial contains every atom of the divisor, else null. The word 1 for
// equal ones.
[[nodiscard]] OpwSymWord divide_monomial(ExpressionPool& pool, const Expression& monomial,
                                         const Expression& divisor, bool* divides);
// The sorted atoms of a monomial.
using Factors = SmallVector<OpwSymWord, 4>;
[[nodiscard]] Factors factors_of(const Expression& monomial);

// From the initial ranges of the symbols.
[[nodiscard]] SymRange made_range(const Polynomial& polynomial);

// Its word: a plain int, a monomial or a Sum.
[[nodiscard]] OpwSymWord intern(ExpressionPool& pool, const Polynomial& polynomial);

}  // namespace opwright
