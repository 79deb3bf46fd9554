#include "opwright/symbolic/facts/facts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/refutation.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

// The quotient in modulus * quotient + residue.
OpwSymWord rest_of_residue(OpwSymWord replaced) {
  return word_of(*expression_of(replaced).terms[0].monomial);
}

}  // namespace

Facts::Known& Facts::known(const Expression& expression) const {
  if (expression.id >= known_.size()) known_.resize(canonical_.pool().size() + 64);
  return known_[expression.id];
}

const Expression* Facts::free_symbol(const Expression& monomial) const {
  if (monomial.kind == ExpressionKind::Symbol) return &monomial;
  return known(monomial).is_base ? &expression_of(monomial.operands[0]) : nullptr;
}

// ---- Ranges and rewriting ----

// For a symbol with a residue, or for the quotient in it: combines what was learned about both.
SymRange Facts::own_range(const Expression& expression) const {
  const Expression& symbol = *free_symbol(expression);
  const SymRange whole = intersect(symbol.range, known(symbol).narrowed);
  const int64_t modulus = known(symbol).modulus;
  if (modulus == 1) return whole;
  const int64_t residue = known(symbol).residue;
  const Expression& quotient = expression_of(rest_of_residue(*known(symbol).replaced));
  const SymRange above = opwright::add(whole, {modulus - 1 - residue, modulus - 1 - residue});
  const SymRange below = opwright::add(whole, {-residue, -residue});
  const SymRange divisor{modulus, modulus};
  const SymRange quotients =
      intersect({floor_divide(above, divisor).least, floor_divide(below, divisor).greatest},
                known(quotient).narrowed);
  if (&expression == &quotient || is_empty(quotients)) return quotients;
  return opwright::add(opwright::multiply(quotients, divisor), {residue, residue});
}

SymRange Facts::range(OpwSymWord word) const {
  if (!is_symbolic(word)) return {word, word};
  const Expression& expression = expression_of(word);
  const Known& entry = known(expression);
  if (entry.ranged_at == version_) return entry.range;
  SymRange result = intersect(expression.range, entry.narrowed);
  if (entry.is_base || entry.modulus != 1) {
    result = own_range(expression);
  } else if (entry.replaced) {
    result = intersect(result, range(*entry.replaced));
  } else if (expression.kind != ExpressionKind::Symbol) {
    result =
        intersect(result, range_by_parts(expression, [&](OpwSymWord part) { return range(part); }));
  }
  Known& now = known(expression);  // the table may have moved
  now.range = result;
  now.ranged_at = version_;
  return result;
}

// If so, the error stays in the expression.
bool Facts::may_divide_by_zero(OpwSymWord word) const {
  if (!is_symbolic(word)) return false;
  const Expression& expression = expression_of(word);
  if (expression.kind == ExpressionKind::FloorDiv || expression.kind == ExpressionKind::Mod) {
    if (!canonical_.is_nonzero(expression.operands[1])) return true;
  }
  const auto in_word = [&](OpwSymWord operand) { return may_divide_by_zero(operand); };
  const auto in_term = [&](const SumTerm& term) { return in_word(word_of(*term.monomial)); };
  return std::ranges::any_of(expression.operands, in_word) ||
         std::ranges::any_of(expression.terms, in_term);
}

OpwSymWord Facts::rewrite(OpwSymWord word) const {
  if (!is_symbolic(word)) return word;
  const Expression& expression = expression_of(word);
  const Known& entry = known(expression);
  if (entry.rewritten_at == version_) return entry.rewritten;
  OpwSymWord result = rebuild(expression);
  const SymRange values = range(result);
  if (is_plain(values) && !may_divide_by_zero(result)) result = values.least;
  Known& now = known(expression);
  now.rewritten = result;
  now.rewritten_at = version_;
  return result;
}

OpwSymWord Facts::rebuild(const Expression& expression) const {
  if (known(expression).is_base) return word_of(expression);
  if (expression.kind == ExpressionKind::Symbol) {
    const std::optional<OpwSymWord> replaced = known(expression).replaced;
    return replaced ? rewrite(*replaced) : word_of(expression);
  }
  Parts parts = parts_of(expression);
  for (OpwSymWord& part : parts) part = rewrite(part);
  return with_parts(expression, parts);
}

// ---- Decisions ----

std::optional<bool> Facts::decide(OpwSymWord condition, std::optional<bool> now) {
  if (const std::optional<bool> answer = recall(condition)) return answer;
  const Expression& expression = expression_of(condition);
  if (!expression.is_condition()) return decide(canonical_.truth(condition), now);
  if (known(expression).undecided_at == num_learned_) return std::nullopt;
  const std::optional<bool> answer = decide_anew(condition, now);
  Known& entry = known(expression);
  entry.decided = answer;
  entry.undecided_at = num_learned_;
  return answer;
}

std::optional<bool> Facts::decide_anew(OpwSymWord condition, std::optional<bool> now) {
  const OpwSymWord simple = rewrite(condition);
  if (!is_symbolic(simple)) return simple != 0;
  const auto is_known = [&](OpwSymWord wanted) {
    return std::ranges::find(conditions_, wanted) != conditions_.end();
  };
  if (now != false && is_known(simple)) return true;
  const OpwSymWord opposite = canonical_.negate(simple);
  if (now != true && is_known(opposite)) return false;
  const Witnesses::Seen seen = witnesses_.ask(condition);
  if (seen.is_true && seen.is_false) return std::nullopt;
  if (seen.is_true != seen.is_false) {
    if (!now) now = seen.is_true;
    if (has_other_witness(simple, seen.is_true)) return std::nullopt;
  }
  if (const std::optional<bool> answer = decide_parts(expression_of(simple), now)) return answer;
  if (now != false && (refutes(opposite) || is_ruled_out(opposite))) return true;
  if (now != true && (refutes(simple) || is_ruled_out(simple))) return false;
  return std::nullopt;
}

// One false part makes an `and` false, one true part makes an `or` true.
std::optional<bool> Facts::decide_parts(const Expression& condition, std::optional<bool> now) {
  const bool is_and = condition.kind == ExpressionKind::And;
  if (!is_and && condition.kind != ExpressionKind::Or) return std::nullopt;
  const std::optional<bool> part_now = now == is_and ? now : std::nullopt;
  bool is_open = false;
  for (const OpwSymWord operand : condition.operands) {
    const std::optional<bool> part = decide(operand, part_now);
    if (part == !is_and) return !is_and;
    is_open |= !part;
  }
  if (is_open) return std::nullopt;
  return is_and;
}

bool Facts::refutes(OpwSymWord condition) const {
  Refutation proof(canonical_, *this);
  proof.assume(condition);
  proof.assume_related(conditions_, narrowed_);
  return proof.succeeds();
}

// With everything learned about the symbols and no other assumptions.
bool Facts::refutes_symbols_of(OpwSymWord condition) const {
  Refutation proof(canonical_, *this);
  for (const Expression* symbol : symbols_in(condition)) {
    const OpwSymWord word = rewrite(word_of(*symbol));
    if (is_symbolic(word)) proof.consider(word);
  }
  proof.assume_related(conditions_, narrowed_);
  return proof.succeeds();
}

SymRange Facts::tight_range(OpwSymWord word) const {
  const OpwSymWord simple = rewrite(word);
  if (!is_symbolic(simple)) return {simple, simple};
  Refutation proof(canonical_, *this);
  proof.consider(simple);
  proof.assume_related(conditions_, narrowed_);
  return intersect(intersect(range(word), range(simple)), proof.bounds(simple));
}

}  // namespace opwright
