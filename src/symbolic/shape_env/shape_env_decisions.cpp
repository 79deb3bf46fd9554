// Implements the operations on a ShapeEnv's words: arithmetic, guards, checks.
#include <cstdint>
#include <optional>
#include <string>

#include "opwright/base/hash.h"
#include "opwright/base/intern.h"
#include "opwright/base/source_site.h"
#include "opwright/base/user_line.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_text.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/shape_env_state.h"
#include "opwright/symbolic/shape_env/value_finder.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

SourceSite site_of(const char* file, uint32_t line) {
  return {file ? intern(file) : nullptr, line};
}

}  // namespace

std::optional<bool> ShapeEnv::State::holds_now(OpwSymWord condition) const {
  const std::optional<int64_t> now = hint(condition);
  if (!now) return std::nullopt;
  return *now != 0;
}

void ShapeEnv::State::record_guard(OpwSymWord condition, const char* file, uint32_t line) {
  // Requirements on unbacked symbols may contradict this run before it reaches them.
  OPWRIGHT_CHECK_VALUE(facts.learn(condition), expression_text(condition), " holds in this run (",
                       site_of(file, line), ") but contradicts what was demanded before");
  keep(Guard{handle_of(condition), site_of(file, line), current_user_line()});
}

void ShapeEnv::State::refuse(const char* what, OpwSymWord word, const char* file,
                             uint32_t line) const {
  std::string text =
      concatenate("cannot ", what, " ", expression_text(word), " at ", site_of(file, line), ": ");
  const char* between = "";
  for (const std::string& name :
       symbols.front().expression->environment->free_symbols(handle_of(word))) {
    const Expression& symbol = *find(name);
    const Made& made = symbols[symbol.symbol];
    if (made.hint) continue;
    text.append(concatenate(between, name, " in ", to_text(facts.range(word_of(symbol)))));
    if (made.made_at.is_known()) text.append(concatenate(" (made at ", made.made_at, ")"));
    between = ", ";
  }
  text.append(" is known only when the program runs");
  const SourceSite user = current_user_line();
  if (user.is_known()) text.append(concatenate("; required by ", user));
  text.append(
      ".\n  Bound it with opwright.check_size(n, min=, max=), require what you rely on with "
      "opwright.check(condition, message), or do without the answer: opwright.sym_max(a, b), "
      "opwright.guard_or_false(condition).");
  throw Error("DataDependentError", text);
}

bool ShapeEnv::is_own(OpwSymWord word) const noexcept {
  return !is_symbolic(word) ||
         (sym_node(word)->table == &shape_env_table() && expression_of(word).environment == this);
}

OpwSymWord ShapeEnv::apply(OpwSymOp op, OpwSymWord a, OpwSymWord b) {
  const uint64_t hash =
      hash_combine(static_cast<uint64_t>(a) + static_cast<uint64_t>(op), static_cast<uint64_t>(b));
  State::Remembered& entry = state_->remembered[hash % state_->remembered.size()];
  if (entry.a == a && entry.b == b && entry.op == op && (a | b) != 0) {
    return retain_word(entry.result);
  }
  for (const OpwSymWord word : {a, b}) {
    OPWRIGHT_CHECK_VALUE(!is_symbolic(word) || (sym_node(word)->table == &shape_env_table() &&
                                                expression_of(word).environment == this),
                         "symbolic ints of two environments in one expression: ", SymInt::borrow(a),
                         " and ", SymInt::borrow(b));
  }
  const OpwSymWord result = state_->canonical.apply(op, a, b);
  if ((op == kOpwSymFloorDiv || op == kOpwSymMod) && is_symbolic(b)) {
    OPWRIGHT_CHECK_KIND("ZeroDivisionError", state_->hint(b) != 0,
                        "division of a size by zero: ", expression_text(b), " is 0 in this run");
  }
  entry = {a, b, result, op};
  return retain_word(result);
}

bool ShapeEnv::guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file,
                     uint32_t line) {
  if (const std::optional<bool> answer = state_->facts.recall(condition)) return *answer;
  const OpwSymWord truth = state_->canonical.truth(condition);
  const std::optional<bool> now = state_->holds_now(truth);
  if (const std::optional<bool> answer = state_->facts.decide(truth, now)) return *answer;
  if (now) {
    state_->record_guard(*now ? truth : state_->canonical.negate(truth), file, line);
    return *now;
  }
  // An unbacked symbol may have received a value since.
  const OpwSymWord known = state_->facts.simplify(truth);
  if (const std::optional<bool> then = state_->holds_now(known)) {
    state_->record_guard(*then ? known : state_->canonical.negate(known), file, line);
    return *then;
  }
  if (if_unknown == kOpwUnknownIsError) {
    if (!find_values(*this)) state_->refuse("decide", truth, file, line);
    const std::optional<bool> then = state_->holds_now(state_->facts.simplify(truth));
    if (!then) state_->refuse("decide", truth, file, line);
    return *then;
  }
  return if_unknown == kOpwUnknownIsTrue;
}

void ShapeEnv::check(OpwSymWord condition, const char* message, const char* file, uint32_t line) {
  const OpwSymWord truth = state_->canonical.truth(condition);
  const std::optional<bool> now = state_->holds_now(truth);
  if (now == false) throw Error("ValueError", message);
  if (const std::optional<bool> answer = state_->facts.decide(truth, now)) {
    if (!*answer) throw Error("ValueError", message);
    return;
  }
  if (now) return state_->record_guard(truth, file, line);
  if (!state_->facts.learn(truth)) throw Error("ValueError", message);
  state_->keep(RuntimeAssert{handle_of(truth), message, site_of(file, line), current_user_line()});
}

int64_t ShapeEnv::specialise(OpwSymWord word, const char* file, uint32_t line) {
  const OpwSymWord simple = state_->facts.simplify(word);
  if (!is_symbolic(simple)) return simple;
  const std::optional<int64_t> now = state_->hint(simple);
  if (!now && find_values(*this)) {
    const std::optional<int64_t> then = state_->hint(state_->facts.simplify(word));
    if (then) return *then;
  }
  if (!now) state_->refuse("fix", word, file, line);
  const OpwSymWord equality = state_->canonical.apply(kOpwSymEq, word, SymInt(*now).word());
  state_->record_guard(equality, file, line);
  return *now;
}

}  // namespace opwright
