#include "opwright/symbolic/expression/expression.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : (b < a ? 1 : 0);
}

int compare_symbols(const Expression& a, const Expression& b) {
  if (const int by_key = order(a.name_key, b.name_key)) return by_key;
  return order(*a.name, *b.name);
}

int compare_terms(std::span<const SumTerm> a, std::span<const SumTerm> b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (const int by_monomial = compare(*a[i].monomial, *b[i].monomial)) return by_monomial;
    if (const int by_factor = order(a[i].coefficient, b[i].coefficient)) return by_factor;
  }
  return order(a.size(), b.size());
}

void collect_symbols(OpwSymWord word, std::vector<const Expression*>& symbols) {
  if (!is_symbolic(word)) return;
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::Symbol &&
      std::ranges::find(symbols, &expression) == symbols.end()) {
    symbols.push_back(&expression);
  }
  for (const OpwSymWord operand : expression.operands) collect_symbols(operand, symbols);
  for (const SumTerm& term : expression.terms) collect_symbols(word_of(*term.monomial), symbols);
}

}  // namespace

std::vector<const Expression*> symbols_in(OpwSymWord word) {
  std::vector<const Expression*> symbols;
  collect_symbols(word, symbols);
  return symbols;
}

bool mentions(OpwSymWord word, const Expression& part) {
  if (!is_symbolic(word)) return false;
  const Expression& expression = expression_of(word);
  if (&expression == &part) return true;
  const auto in_word = [&](OpwSymWord operand) { return mentions(operand, part); };
  const auto in_term = [&](const SumTerm& term) { return in_word(word_of(*term.monomial)); };
  return std::ranges::any_of(expression.operands, in_word) ||
         std::ranges::any_of(expression.terms, in_term);
}

// Equal parts are the same node, so only the first difference is descended into.
int compare(const Expression& a, const Expression& b) noexcept {
  if (&a == &b) return 0;
  if (const int by_degree = order(b.degree, a.degree)) return by_degree;
  if (const int by_kind = order(a.kind, b.kind)) return by_kind;
  if (a.kind == ExpressionKind::Symbol) return compare_symbols(a, b);
  if (const int by_terms = compare_terms(a.terms, b.terms)) return by_terms;
  for (size_t i = 0; i < std::min(a.operands.size(), b.operands.size()); ++i) {
    if (const int by_operand = compare(a.operands[i], b.operands[i])) return by_operand;
  }
  if (const int by_count = order(a.operands.size(), b.operands.size())) return by_count;
  return order(a.constant, b.constant);
}

int compare(OpwSymWord a, OpwSymWord b) noexcept {
  if (a == b) return 0;
  if (!is_symbolic(a) || !is_symbolic(b)) {
    if (is_symbolic(a)) return -1;
    if (is_symbolic(b)) return 1;
    return order(a, b);
  }
  return compare(expression_of(a), expression_of(b));
}

}  // namespace opwright
