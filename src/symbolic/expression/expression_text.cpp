#include "opwright/symbolic/expression/expression_text.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

// The precedence of the outermost operator of a text, as in Python.
enum class Binding { Or, And, Comparison, Sum, Product, Atom };

Binding binding_of(OpwSymWord word) {
  if (!is_symbolic(word)) return word < 0 ? Binding::Sum : Binding::Atom;
  switch (expression_of(word).kind) {
    case ExpressionKind::Symbol:
    case ExpressionKind::Max:
    case ExpressionKind::Min:
      return Binding::Atom;
    case ExpressionKind::Product:
    case ExpressionKind::FloorDiv:
    case ExpressionKind::Mod:
      return Binding::Product;
    case ExpressionKind::Sum:
      return Binding::Sum;
    case ExpressionKind::And:
      return Binding::And;
    case ExpressionKind::Or:
      return Binding::Or;
    default:
      return Binding::Comparison;
  }
}

void append_operand(std::string& out, OpwSymWord word, Binding least) {
  if (binding_of(word) >= least) return append_expression(out, word);
  out.push_back('(');
  append_expression(out, word);
  out.push_back(')');
}

void append_list(std::string& out, std::span<const OpwSymWord> words, std::string_view between,
                 Binding least) {
  bool is_first = true;
  for (const OpwSymWord word : words) {
    if (!std::exchange(is_first, false)) out.append(between);
    append_operand(out, word, least);
  }
}

// One part of a sum, with the sign that joins it to the preceding text.
void append_part(std::string& out, int64_t coefficient, const Expression* monomial, bool is_first) {
  const bool is_negative = coefficient < 0;
  const int64_t size = is_negative ? -coefficient : coefficient;
  if (is_first) {
    // The int itself would not be a plain word.
    out.append(is_negative ? (coefficient < kOpwSmallestInt ? "0 - " : "-") : "");
  } else {
    out.append(is_negative ? " - " : " + ");
  }
  if (!monomial) return append_text(out, size);
  if (size != 1) {
    append_text(out, size);
    out.push_back('*');
  }
  const bool is_whole = size == 1 && !(is_first && is_negative);
  const bool is_product = monomial->kind == ExpressionKind::Product;
  append_operand(out, word_of(*monomial),
                 is_whole || is_product ? Binding::Product : Binding::Atom);
}

// Positive terms first: "s1 - s0".
void append_sum(std::string& out, const Polynomial& polynomial) {
  bool is_first = true;
  const auto append_signed = [&](bool is_negative) {
    for (const SumTerm& term : polynomial.terms) {
      if ((term.coefficient < 0) != is_negative) continue;
      append_part(out, term.coefficient, term.monomial, std::exchange(is_first, false));
    }
    if (polynomial.constant != 0 && (polynomial.constant < 0) == is_negative) {
      append_part(out, polynomial.constant, nullptr, std::exchange(is_first, false));
    }
  };
  append_signed(false);
  append_signed(true);
  if (is_first) out.push_back('0');
}

// The two sides of a comparison: terms without their signs, and the constant on the side where it
// is positive unless that side would otherwise be empty.
struct Sides {
  Polynomial left;
  Polynomial right;
};

Sides sides_of(const Polynomial& polynomial) {
  Sides sides;
  for (const SumTerm& term : polynomial.terms) {
    if (term.coefficient > 0) {
      sides.left.terms.push_back(term);
    } else {
      sides.right.terms.push_back({term.monomial, -term.coefficient});
    }
  }
  const bool goes_left =
      sides.left.is_constant() || (polynomial.constant > 0 && !sides.right.is_constant());
  (goes_left ? sides.left : sides.right).constant =
      goes_left ? polynomial.constant : -polynomial.constant;
  return sides;
}

void append_sides(std::string& out, const Polynomial& left, std::string_view sign,
                  const Polynomial& right) {
  append_sum(out, left);
  out.append(sign);
  append_sum(out, right);
}

void append_equality(std::string& out, const Polynomial& polynomial, std::string_view sign) {
  const Sides sides = sides_of(polynomial);
  const bool is_flipped = sides.left.constant != 0 || sides.left.is_constant();
  append_sides(out, is_flipped ? sides.right : sides.left, sign,
               is_flipped ? sides.left : sides.right);
}

// a + 1 <= b is "a < b"; 2 <= a is "a >= 2".
void append_inequality(std::string& out, const Polynomial& polynomial) {
  Sides sides = sides_of(polynomial);
  if (sides.left.is_constant()) return append_sides(out, sides.right, " >= ", sides.left);
  if (sides.left.constant == 1) {
    sides.left.constant = 0;
    return append_sides(out, sides.left, " < ", sides.right);
  }
  append_sides(out, sides.left, " <= ", sides.right);
}

void append_call(std::string& out, std::string_view name, std::span<const OpwSymWord> operands) {
  out.append(name).push_back('(');
  append_list(out, operands, ", ", Binding::Or);
  out.push_back(')');
}

}  // namespace

void append_expression(std::string& out, OpwSymWord word) {
  if (!is_symbolic(word)) return append_text(out, word);
  const Expression& expression = expression_of(word);
  const auto operands = expression.operands;
  switch (expression.kind) {
    case ExpressionKind::Symbol:
      out.append(*expression.name);
      return;
    case ExpressionKind::Product:
      return append_list(out, operands, "*", Binding::Atom);
    case ExpressionKind::Sum:
      return append_sum(out, Polynomial::of(word));
    case ExpressionKind::FloorDiv:
    case ExpressionKind::Mod:
      append_operand(out, operands[0], Binding::Atom);
      out.append(expression.kind == ExpressionKind::Mod ? " % " : "//");
      return append_operand(out, operands[1], Binding::Atom);
    case ExpressionKind::Max:
      return append_call(out, "max", operands);
    case ExpressionKind::Min:
      return append_call(out, "min", operands);
    case ExpressionKind::Equal:
      return append_equality(out, Polynomial::of(operands[0]), " == ");
    case ExpressionKind::NotEqual:
      return append_equality(out, Polynomial::of(operands[0]), " != ");
    case ExpressionKind::AtMost:
      return append_inequality(out, Polynomial::of(operands[0]));
    case ExpressionKind::And:
      return append_list(out, operands, " and ", Binding::Comparison);
    case ExpressionKind::Or:
      return append_list(out, operands, " or ", Binding::And);
  }
}

std::string expression_text(OpwSymWord word) {
  std::string text;
  append_expression(text, word);
  return text;
}

}  // namespace opwright
