#include "opwright/symbolic/expression/evaluate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_text.h"
#include "opwright/symbolic/expression/wide_int.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

using Symbols = std::span<const std::optional<int64_t>>;

[[noreturn, gnu::cold]] void throw_too_large(const Expression& expression) {
  throw_error("OverflowError", expression_text(word_of(expression)), " leaves 64 bits");
}

int64_t checked_narrow(const Expression& expression, WideInt value) {
  if (value > INT64_MAX || value < INT64_MIN) throw_too_large(expression);
  return static_cast<int64_t>(value);
}

std::optional<int64_t> evaluate_sum(const Expression& sum, Symbols symbols) {
  WideInt total = sum.constant;
  for (const SumTerm& term : sum.terms) {
    const std::optional<int64_t> value = evaluate(word_of(*term.monomial), symbols);
    if (!value) return std::nullopt;
    total += static_cast<WideInt>(term.coefficient) * *value;
  }
  return checked_narrow(sum, total);
}

std::optional<int64_t> evaluate_product(const Expression& product, Symbols symbols) {
  WideInt total = 1;
  for (const OpwSymWord factor : product.operands) {
    const std::optional<int64_t> value = evaluate(factor, symbols);
    if (!value) return std::nullopt;
    total = checked_narrow(product, total * *value);
  }
  return checked_narrow(product, total);
}

std::optional<int64_t> evaluate_division(const Expression& division, Symbols symbols) {
  const std::optional<int64_t> a = evaluate(division.operands[0], symbols);
  const std::optional<int64_t> b = evaluate(division.operands[1], symbols);
  if (!a || !b) return std::nullopt;
  OPWRIGHT_CHECK_KIND("ZeroDivisionError", *b != 0, expression_text(word_of(division)), ": ",
                      expression_text(division.operands[1]), " is 0");
  if (*b == -1) {  // INT64_MIN / -1
    return division.kind == ExpressionKind::Mod
               ? 0
               : checked_narrow(division, -static_cast<WideInt>(*a));
  }
  return fold_sym(division.kind == ExpressionKind::Mod ? kOpwSymMod : kOpwSymFloorDiv, *a, *b);
}

std::optional<int64_t> evaluate_list(const Expression& list, Symbols symbols) {
  const bool takes_most = list.kind == ExpressionKind::Max || list.kind == ExpressionKind::Or;
  std::optional<int64_t> result;
  for (const OpwSymWord operand : list.operands) {
    const std::optional<int64_t> value = evaluate(operand, symbols);
    if (!value) return std::nullopt;
    if (!result) result = value;
    result = takes_most ? std::max(*result, *value) : std::min(*result, *value);
  }
  return result;
}

}  // namespace

std::optional<int64_t> evaluate(OpwSymWord word, Symbols symbols) {
  if (!is_symbolic(word)) return word;
  const Expression& expression = expression_of(word);
  switch (expression.kind) {
    case ExpressionKind::Symbol:
      return symbols[expression.symbol];
    case ExpressionKind::Product:
      return evaluate_product(expression, symbols);
    case ExpressionKind::Sum:
      return evaluate_sum(expression, symbols);
    case ExpressionKind::FloorDiv:
    case ExpressionKind::Mod:
      return evaluate_division(expression, symbols);
    case ExpressionKind::Max:
    case ExpressionKind::Min:
    case ExpressionKind::And:
    case ExpressionKind::Or:
      return evaluate_list(expression, symbols);
    default: {
      const std::optional<int64_t> value = evaluate(expression.operands[0], symbols);
      if (!value) return std::nullopt;
      if (expression.kind == ExpressionKind::AtMost) return *value <= 0 ? 1 : 0;
      return (*value == 0) == (expression.kind == ExpressionKind::Equal) ? 1 : 0;
    }
  }
}

}  // namespace opwright
