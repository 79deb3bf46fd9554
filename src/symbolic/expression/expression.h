// Expression: a node of the symbolic ints of one ShapeEnv, in canonical form and unique.
//
// A sum of products is a Sum over monomials; a monomial is a Product of atoms or an atom itself; an
// atom is a symbol, a division, a maximum or a condition. Constants are not nodes but plain words.
// A condition has the values 0 and 1 and is one of `p == 0`, `p != 0`, `p <= 0` and their and/or.
//
// Expressions live as long as their environment; a handle holds a count on the environment.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {

class ShapeEnv;

enum class ExpressionKind : uint8_t {
  Symbol,
  Product,   // operands: two atoms or more, sorted, equal ones adjacent
  Sum,       // terms and a constant
  FloorDiv,  // operands: numerator, divisor
  Mod,
  Max,  // operands: two or more, sorted, at most one constant, which is the last
  Min,
  Equal,     // operand == 0
  NotEqual,  // operand != 0
  AtMost,    // operand <= 0
  And,       // operands: two conditions or more, sorted
  Or,
};

struct Expression;

// coefficient * monomial; the coefficient is not 0 and not INT64_MIN.
struct SumTerm {
  const Expression* monomial;
  int64_t coefficient;
  friend bool operator==(const SumTerm&, const SumTerm&) = default;
};

struct Expression : OpwSymNode {
  ShapeEnv* environment;
  ExpressionKind kind;
  uint32_t id;      // in order of creation
  uint32_t symbol;  // its index among the symbols
  uint32_t depth;   // 1 for a symbol
  uint32_t size;    // nodes in its text; shared ones count each time
  uint32_t degree;  // atoms in a monomial; the largest of a sum's
  uint64_t hash;
  int64_t constant;   // of a sum
  uint64_t name_key;  // of a symbol: orders s2 before s10
  const std::string* name;
  std::span<const SumTerm> terms;
  std::span<const OpwSymWord> operands;
  SymRange range;  // from the initial ranges of the symbols

  [[nodiscard]] bool is_condition() const noexcept { return kind >= ExpressionKind::Equal; }
  [[nodiscard]] bool is_atom() const noexcept {
    return kind != ExpressionKind::Product && kind != ExpressionKind::Sum;
  }
};

inline constexpr uint32_t kMostDepth = 200;
inline constexpr uint32_t kMostNodes = 10000;
inline constexpr size_t kMostTerms = 2000;

// The expression of a word that is not a plain int.
inline const Expression& expression_of(OpwSymWord word) {
  return *static_cast<const Expression*>(sym_node(word));
}
inline OpwSymWord word_of(const Expression& expression) {
  return sym_word(const_cast<Expression*>(&expression));
}
inline SymRange made_range(OpwSymWord word) {
  return is_symbolic(word) ? expression_of(word).range : SymRange{word, word};
}

// The symbols of a word, each once.
[[nodiscard]] std::vector<const Expression*> symbols_in(OpwSymWord word);
// Whether the symbol, or another expression, is part of a word.
[[nodiscard]] bool mentions(OpwSymWord word, const Expression& part);

// The order of terms and operands, the same in every environment: higher degrees first, then by
// kind and content. Negative, 0 or positive.
[[nodiscard]] int compare(const Expression& a, const Expression& b) noexcept;
// Constants come last.
[[nodiscard]] int compare(OpwSymWord a, OpwSymWord b) noexcept;

}  // namespace opwright
