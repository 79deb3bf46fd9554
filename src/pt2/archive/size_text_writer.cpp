// Writes sizes as sympy writes them.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/pt2/archive/size_text.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright::pt2 {
namespace {

// The function of sympy, or of torch's additions to it, for a kind of expression with operands.
std::string_view function_name(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::Product:
      return "Mul";
    case ExpressionKind::FloorDiv:
      return "FloorDiv";
    case ExpressionKind::Mod:
      return "PythonMod";
    case ExpressionKind::Max:
      return "Max";
    case ExpressionKind::Min:
      return "Min";
    case ExpressionKind::Equal:
      return "Equality";
    case ExpressionKind::NotEqual:
      return "Unequality";
    case ExpressionKind::AtMost:
      return "LessThan";
    case ExpressionKind::And:
      return "And";
    case ExpressionKind::Or:
      return "Or";
    case ExpressionKind::Symbol:
    case ExpressionKind::Sum:
      break;
  }
  return "";
}

std::string function_text(std::string_view function, const std::vector<std::string>& arguments) {
  std::string text = concatenate(function, "(");
  for (const std::string& argument : arguments) {
    if (&argument != &arguments.front()) text += ", ";
    text += argument;
  }
  return text + ")";
}

}  // namespace

SizeText::SizeText(const ShapeEnv* env) {
  if (env) symbols_ = env->symbols();
}

const Symbol& SizeText::symbol(std::string_view name) const {
  const auto found = std::ranges::find(symbols_, name, &Symbol::name);
  OPWRIGHT_ASSERT(found != symbols_.end());
  return *found;
}

std::string SizeText::name_of(const Symbol& symbol) const {
  const char first = symbol.name.front();
  const bool is_plain = first >= 'a' && first <= 'z' && first != 'u' && first != 'z';
  return is_plain || !symbol.hint ? symbol.name : "s_" + symbol.name;
}

std::string SizeText::write_symbol(const Symbol& symbol) const {
  if (symbol.equals) return write(symbol.equals->word());
  // torch says this of sizes that it knows at the export.
  const bool is_size = symbol.hint && symbol.range.least >= 0;
  return concatenate("Symbol('", name_of(symbol), is_size ? "', positive=True" : "'",
                     ", integer=True)");
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the expression, at most kMostDepth
std::string SizeText::write_sum(const Expression& sum) const {
  std::vector<std::string> terms;
  for (const SumTerm& term : sum.terms) {
    std::string monomial = write(word_of(*term.monomial));
    terms.push_back(
        term.coefficient == 1
            ? std::move(monomial)
            : function_text("Mul", {concatenate("Integer(", term.coefficient, ")"), monomial}));
  }
  if (sum.constant != 0) terms.push_back(concatenate("Integer(", sum.constant, ")"));
  return terms.size() == 1 ? terms.front() : function_text("Add", terms);
}

// NOLINTNEXTLINE(misc-no-recursion)
std::string SizeText::write(OpwSymWord word) const {
  if (!is_symbolic(word)) return concatenate("Integer(", word, ")");
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::Symbol) return write_symbol(symbol(*expression.name));
  if (expression.kind == ExpressionKind::Sum) return write_sum(expression);
  std::vector<std::string> operands;
  for (const OpwSymWord operand : expression.operands) operands.push_back(write(operand));
  const bool is_relation = expression.is_condition() && expression.kind < ExpressionKind::And;
  if (is_relation) operands.emplace_back("Integer(0)");
  return function_text(function_name(expression.kind), operands);
}

}  // namespace opwright::pt2
