// Learning facts: ranges, equalities that replace a symbol, and the rest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symint.h"

namespace opwright {

void Facts::add_symbol(const Expression& symbol, std::optional<int64_t> hint) {
  symbols_.push_back(&symbol);
  hints_.push_back(hint);
  witnesses_.add_symbol(symbol.range, hint);
}

bool Facts::learn(OpwSymWord condition) {
  condition = canonical_.truth(condition);
  if (const std::optional<bool> answer = decide(condition)) return *answer;
  if (!take_in(condition)) return false;
  ++num_learned_;
  known(expression_of(condition)).decided = true;
  witnesses_.learn(condition);
  if (witnesses_.size() < kWantedWitnesses) find_witnesses();
  return true;
}

// All or nothing.
bool Facts::take_in(OpwSymWord condition) {
  const Saved saved = save();
  bool is_possible = false;
  try {
    is_possible = add(rewrite(condition)) && settle() && admits_this_run();
  } catch (const Error&) {  // a bound exceeded 64 bits: the condition is kept unchanged
    put_back(saved);
    return keep(condition);
  }
  if (!is_possible) put_back(saved);
  return is_possible;
}

bool Facts::is_ruled_out(OpwSymWord condition) {
  const Saved saved = save();
  bool is_possible = true;
  try {
    is_possible = add(rewrite(condition)) && settle() && !refutes_symbols_of(condition);
  } catch (const Error&) {  // nothing is claimed
  }
  put_back(saved);
  return !is_possible;
}

Facts::Saved Facts::save() {
  undo_.clear();
  return {conditions_, narrowed_, version_, settled_at_, num_settled_};
}

void Facts::put_back(const Saved& saved) {
  for (; !undo_.empty(); undo_.pop_back()) known(*undo_.back().expression) = undo_.back().known;
  conditions_ = saved.conditions;
  narrowed_ = saved.narrowed;
  version_ = saved.version;
  settled_at_ = saved.settled_at;
  num_settled_ = saved.num_settled;
}

bool Facts::admits_this_run() const {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    if (hints_[i] && !contains(range(word_of(*symbols_[i])), *hints_[i])) return false;
  }
  return true;
}

Facts::Known& Facts::change(const Expression& expression) {
  Known& entry = known(expression);
  undo_.push_back({&expression, entry});
  return entry;
}

bool Facts::add(OpwSymWord condition) {
  if (!is_symbolic(condition)) return condition != 0;
  const Expression& expression = expression_of(condition);
  switch (expression.kind) {
    case ExpressionKind::And: {
      for (const OpwSymWord operand : expression.operands) {
        if (!add(rewrite(operand))) return false;
      }
      return true;
    }
    case ExpressionKind::Equal:
      return add_equality(expression);
    case ExpressionKind::AtMost:
      return add_inequality(expression);
    case ExpressionKind::NotEqual:
      return add_disequality(expression);
    default:
      return keep(condition);
  }
}

bool Facts::keep(OpwSymWord condition) {
  if (std::ranges::find(conditions_, condition) != conditions_.end()) return true;
  conditions_.push_back(condition);
  return true;
}

bool Facts::narrow(const Expression& monomial, SymRange range) {
  const SymRange before = known(monomial).narrowed;
  const SymRange narrowed = intersect(before, range);
  if (narrowed == before) return true;
  if (before == SymRange() && monomial.kind != ExpressionKind::Symbol) {
    narrowed_.push_back(&monomial);
  }
  change(monomial).narrowed = narrowed;
  version_ = ++last_version_;
  const SymRange now = this->range(word_of(monomial));
  if (is_empty(now)) return false;
  if (monomial.is_condition() && now.least == now.greatest) {
    return add(now.least == 1 ? word_of(monomial) : canonical_.negate(word_of(monomial)));
  }
  if (monomial.kind == ExpressionKind::Mod && now.least == now.greatest &&
      !is_symbolic(monomial.operands[1])) {
    const std::optional<bool> outcome =
        add_residue(monomial.operands[0], monomial.operands[1], now.least);
    if (outcome) return *outcome;
  }
  return true;
}

bool Facts::add_inequality(const Expression& condition) {
  const Polynomial polynomial = Polynomial::of(condition.operands[0]);
  if (polynomial.terms.size() > 1) return keep(word_of(condition));
  const SumTerm& term = polynomial.terms[0];  // the coefficient is 1 or -1
  return narrow(*term.monomial, term.coefficient > 0 ? SymRange{INT64_MIN, -polynomial.constant}
                                                     : SymRange{polynomial.constant, INT64_MAX});
}

bool Facts::add_disequality(const Expression& condition) {
  const Polynomial polynomial = Polynomial::of(condition.operands[0]);
  if (polynomial.terms.size() == 1) {  // the coefficient is 1
    const Expression& monomial = *polynomial.terms[0].monomial;
    const int64_t value = -polynomial.constant;
    const SymRange values = range(word_of(monomial));
    if (values.least == value) return narrow(monomial, {value + 1, INT64_MAX});
    if (values.greatest == value) return narrow(monomial, {INT64_MIN, value - 1});
  }
  return keep(word_of(condition));
}

bool Facts::add_equality(const Expression& condition) {
  const Polynomial polynomial = Polynomial::of(condition.operands[0]);
  if (polynomial.terms.size() == 1) {  // the coefficient is 1
    return narrow(*polynomial.terms[0].monomial, {-polynomial.constant, -polynomial.constant});
  }
  // The newest symbol that the rest defines.
  const SumTerm* chosen = nullptr;
  const Expression* replaced = nullptr;
  for (const SumTerm& term : polynomial.terms) {
    const Expression* symbol = free_symbol(*term.monomial);
    if (!symbol || (term.coefficient != 1 && term.coefficient != -1)) continue;
    const auto elsewhere = [&](const SumTerm& other) {
      return &other != &term && mentions(word_of(*other.monomial), *symbol);
    };
    if (std::any_of(polynomial.terms.begin(), polynomial.terms.end(), elsewhere)) continue;
    if (replaced && replaced->symbol > symbol->symbol) continue;
    chosen = &term;
    replaced = symbol;
  }
  if (!chosen) {
    bool found = false;
    if (!add_residues_of(polynomial, &found)) return false;
    return keep(word_of(condition));
  }
  const Polynomial itself = Polynomial::of(word_of(*chosen->monomial));
  Polynomial by = opwright::add(itself, polynomial, -chosen->coefficient);
  if (chosen->monomial != replaced) {
    by = scale(by, known(*replaced).modulus);
    by.constant = checked_add(by.constant, known(*replaced).residue);
  }
  return replace(*replaced, *chosen->monomial, canonical_.sum(by));
}

// Assumes the range of an expression; ends that no plain word can hold are ignored.
bool Facts::bound(OpwSymWord word, const SymRange& values) {
  const auto demand = [&](OpwSymOp op, int64_t end) {
    return end < kOpwSmallestInt || end == INT64_MAX ||
           add(canonical_.apply(op, rewrite(word), end));
  };
  return demand(kOpwSymGe, values.least) && demand(kOpwSymLe, values.greatest);
}

// The symbol's range becomes that of the expression. `free` is the symbol or its quotient.
bool Facts::replace(const Expression& symbol, const Expression& free, OpwSymWord by) {
  const SymRange values = range(word_of(symbol));
  change(free).is_base = false;
  Known& entry = change(symbol);
  entry.replaced = by;
  entry.modulus = 1;
  entry.residue = 0;
  version_ = ++last_version_;
  return bound(by, values);
}

}  // namespace opwright
