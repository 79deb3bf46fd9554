#include "opwright/symbolic/shape_env/layout_questions.h"

#include <optional>
#include <source_location>
#include <string>

#include "opwright/c_api.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

// The condition that all sizes which may be 1 are longer; nullopt: there is no such size.
std::optional<SymInt> find_longer(const ShapeEnv& env, const SymInt& condition) {
  std::optional<SymInt> longer;
  for (const std::string& name : env.free_symbols(condition)) {
    const SymInt symbol = env.symbol(name);
    if (env.range(symbol).least != 1 || !env.hint(symbol)) continue;
    const SymInt is_longer = apply_sym(kOpwSymGe, symbol, 2);
    longer = longer ? apply_sym(kOpwSymAnd, *longer, is_longer) : is_longer;
  }
  return longer;
}

bool is_impossible(const ShapeEnv& env, const SymInt& condition) {
  if (!condition.is_symbolic()) return condition.word() == 0;
  return env.decide(condition) == false;
}

// Whether it is false for all longer sizes.
bool is_never(const SymBool& question) {
  const ShapeEnv* env = question.is_symbolic() ? shape_env_of(question.value()) : nullptr;
  if (!env) return false;
  const std::optional<SymInt> longer = find_longer(*env, question.value());
  return longer && is_impossible(*env, apply_sym(kOpwSymAnd, *longer, question.value()));
}

}  // namespace

bool is_laid_equal(const SymInt& a, const SymInt& b, std::source_location where) {
  if (a.word() == b.word()) return true;
  const SymBool question = SymOperand(a, where) == SymOperand(b, where);
  return !is_never(question) && guard_or_false(question);
}

bool is_laid_less(const SymInt& a, const SymInt& b, std::source_location where) {
  if (a.word() == b.word()) return false;
  const SymBool question = SymOperand(a, where) < SymOperand(b, where);
  if (is_never(question)) return false;
  return is_never(sym_not(question)) || guard_or_false(question);
}

}  // namespace opwright
