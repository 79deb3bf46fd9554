// Division of polynomials as far as it needs no rounding.
#pragma once

#include <cstdint>

#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/polynomial.h"

namespace opwright {

// numerator = whole * divisor + rest.
struct Quotient {
  Polynomial whole;
  Polynomial rest;
};
// Coefficients of `rest` are those of a floor division: from 0 to divisor - 1. The divisor is not
// 0.
[[nodiscard]] Quotient divide(const Polynomial& numerator, int64_t divisor);
// Divides the terms of the numerator that a one-term divisor divides; all or nothing for longer
// divisors.
[[nodiscard]] Quotient divide(ExpressionPool& pool, const Polynomial& numerator,
                              const Polynomial& divisor);

// Removes the common factors of both and returns their product. Integer factors only if they also
// divide the constants.
[[nodiscard]] Polynomial take_common_factor(ExpressionPool& pool, Polynomial& a, Polynomial& b);

// The atoms that divide every term; none if there is a constant.
[[nodiscard]] Factors common_factors(const Polynomial& polynomial);
// Divides by an atom of common_factors().
[[nodiscard]] Polynomial divide_by_atom(ExpressionPool& pool, const Polynomial& polynomial,
                                        const Expression& atom);

}  // namespace opwright
