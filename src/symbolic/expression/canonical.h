// The rules that bring an operation on canonical expressions into canonical form.
//
// Some rules hold only for operands within certain ranges, so the ranges that are assumed decide
// how far an expression is simplified: none when text is parsed (so that it yields the expression
// as written), the initial ranges of the symbols for arithmetic (so that a form never changes), and
// everything learned in simplify().
#pragma once

#include <cstdint>
#include <span>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

// The ranges assumed for the values of expressions.
class Ranges {
 public:
  virtual ~Ranges() = default;
  [[nodiscard]] virtual SymRange range(OpwSymWord word) const = 0;
};

// Only plain ints have a range.
class NoRanges : public Ranges {
 public:
  [[nodiscard]] SymRange range(OpwSymWord word) const override;
};
// The initial ranges of the symbols.
class MadeRanges : public Ranges {
 public:
  [[nodiscard]] SymRange range(OpwSymWord word) const override { return made_range(word); }
};

class Canonical {
 public:
  // Both outlive it.
  Canonical(ExpressionPool& pool, const Ranges& ranges) : pool_(pool), ranges_(ranges) {}

  // Throws ZeroDivisionError, OverflowError.
  [[nodiscard]] OpwSymWord apply(OpwSymOp op, OpwSymWord a, OpwSymWord b) const;

  [[nodiscard]] OpwSymWord floor_div(OpwSymWord a, OpwSymWord b) const;
  [[nodiscard]] OpwSymWord mod(OpwSymWord a, OpwSymWord b) const;
  // Max or Min.
  [[nodiscard]] OpwSymWord extreme(ExpressionKind kind, std::span<const OpwSymWord> operands) const;
  // Equal, NotEqual or AtMost, with 0.
  [[nodiscard]] OpwSymWord compare_zero(ExpressionKind kind, Polynomial polynomial) const;
  // And or Or of conditions.
  [[nodiscard]] OpwSymWord join(ExpressionKind kind, std::span<const OpwSymWord> conditions) const;
  // The negation of a condition.
  [[nodiscard]] OpwSymWord negate(OpwSymWord condition) const;
  // The condition that a word is not 0.
  [[nodiscard]] OpwSymWord truth(OpwSymWord word) const;
  // Whether the ranges exclude 0: of the word, or of its common factors and of what they leave.
  [[nodiscard]] bool is_nonzero(OpwSymWord word) const;

  [[nodiscard]] OpwSymWord sum(const Polynomial& polynomial) const {
    return intern(pool_, polynomial);
  }
  [[nodiscard]] ExpressionPool& pool() const noexcept { return pool_; }

 private:
  [[nodiscard]] SymRange range(OpwSymWord word) const { return ranges_.range(word); }
  [[nodiscard]] SymRange range(const Polynomial& polynomial) const;
  [[nodiscard]] OpwSymWord divide_by_constant(Polynomial numerator, int64_t divisor) const;
  [[nodiscard]] OpwSymWord divide_by_nonzero(const Polynomial& numerator, OpwSymWord divisor) const;
  [[nodiscard]] OpwSymWord modulo_constant(Polynomial numerator, int64_t divisor) const;
  [[nodiscard]] OpwSymWord modulo_nonzero(const Polynomial& numerator, OpwSymWord divisor) const;
  [[nodiscard]] OpwSymWord add_words(const Polynomial& a, OpwSymWord b, int64_t scale = 1) const;
  void divide_common_factors(Polynomial& polynomial) const;
  [[nodiscard]] bool is_always(ExpressionKind kind, OpwSymWord kept, OpwSymWord dropped) const;

  ExpressionPool& pool_;
  const Ranges& ranges_;
};

}  // namespace opwright
