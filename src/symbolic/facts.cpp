#include "opwright/symbolic/facts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/interval.h"
#include "opwright/symbolic/polynomial.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr int kMostRounds = 16;

bool mentions(OpwSymWord word, const Expression& symbol) {
  if (!is_symbolic(word)) return false;
  const Expression& expression = expression_of(word);
  if (&expression == &symbol) return true;
  const auto in_word = [&](OpwSymWord operand) { return mentions(operand, symbol); };
  const auto in_term = [&](const SumTerm& term) {
    return mentions(word_of(*term.monomial), symbol);
  };
  return std::ranges::any_of(expression.operands, in_word) ||
         std::ranges::any_of(expression.terms, in_term);
}

}  // namespace

Facts::Known& Facts::known(const Expression& expression) const {
  if (expression.id >= known_.size()) known_.resize(canonical_.pool().size() + 64);
  return known_[expression.id];
}

std::optional<OpwSymWord> Facts::replacement(const Expression& symbol) const {
  const Known& entry = known(symbol);
  if (!entry.replaced) return std::nullopt;
  return simplify(*entry.replaced);
}

// ---- Ranges and simplification ----

SymRange Facts::range(OpwSymWord word) const {
  if (!is_symbolic(word)) return {word, word};
  const Expression& expression = expression_of(word);
  const Known& entry = known(expression);
  if (entry.ranged_at == version_) return entry.range;
  SymRange result = intersect(expression.range, entry.narrowed);
  if (entry.replaced) {
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

OpwSymWord Facts::simplify(OpwSymWord word) const {
  if (!is_symbolic(word)) return word;
  const Expression& expression = expression_of(word);
  const Known& entry = known(expression);
  if (entry.simplified_at == version_) return entry.simplified;
  OpwSymWord result = rebuild(expression);
  const SymRange values = range(result);
  if (values.least == values.greatest) result = values.least;
  Known& now = known(expression);
  now.simplified = result;
  now.simplified_at = version_;
  return result;
}

OpwSymWord Facts::rebuild(const Expression& expression) const {
  const auto operands = expression.operands;
  SmallVector<OpwSymWord, 4> parts;
  for (const OpwSymWord operand : operands) parts.push_back(simplify(operand));
  switch (expression.kind) {
    case ExpressionKind::Symbol: {
      const std::optional<OpwSymWord> replaced = known(expression).replaced;
      return replaced ? simplify(*replaced) : word_of(expression);
    }
    case ExpressionKind::Product: {
      OpwSymWord product = 1;
      for (const OpwSymWord part : parts) product = canonical_.apply(kOpwSymMul, product, part);
      return product;
    }
    case ExpressionKind::Sum: {
      Polynomial sum;
      sum.constant = expression.constant;
      for (const SumTerm& term : expression.terms) {
        sum =
            opwright::add(sum, Polynomial::of(simplify(word_of(*term.monomial))), term.coefficient);
      }
      return canonical_.sum(sum);
    }
    case ExpressionKind::FloorDiv:
      // An error stays where it is.
      return parts[1] == 0 ? word_of(expression) : canonical_.floor_div(parts[0], parts[1]);
    case ExpressionKind::Mod:
      return parts[1] == 0 ? word_of(expression) : canonical_.mod(parts[0], parts[1]);
    case ExpressionKind::Max:
    case ExpressionKind::Min:
      return canonical_.extreme(expression.kind, {parts.data(), parts.size()});
    case ExpressionKind::Equal:
    case ExpressionKind::NotEqual:
    case ExpressionKind::AtMost:
      return canonical_.compare_zero(expression.kind, Polynomial::of(parts[0]));
    case ExpressionKind::And:
    case ExpressionKind::Or:
      return canonical_.join(expression.kind, {parts.data(), parts.size()});
  }
  return word_of(expression);
}

// ---- Decisions ----

std::optional<bool> Facts::decide(OpwSymWord condition) const {
  if (!is_symbolic(condition)) return condition != 0;
  const Expression& expression = expression_of(condition);
  const Known& entry = known(expression);
  if (entry.decided) return entry.decided;
  if (entry.undecided_at == version_) return std::nullopt;
  const std::optional<bool> answer = decide_anew(canonical_.truth(condition));
  Known& now = known(expression);
  now.decided = answer;
  now.undecided_at = version_;
  return answer;
}

std::optional<bool> Facts::decide_anew(OpwSymWord condition) const {
  const OpwSymWord simple = simplify(condition);
  if (!is_symbolic(simple)) return simple != 0;
  const auto is_known = [&](OpwSymWord wanted) {
    return std::ranges::find(conditions_, wanted) != conditions_.end();
  };
  if (is_known(simple)) return true;
  if (is_known(canonical_.negate(simple))) return false;
  return std::nullopt;
}

// ---- Learning ----

bool Facts::learn(OpwSymWord condition) {
  condition = canonical_.truth(condition);
  if (const std::optional<bool> answer = decide(condition)) return *answer;
  if (!add(simplify(condition)) || !settle()) return false;
  if (is_symbolic(condition)) known(expression_of(condition)).decided = true;
  return true;
}

bool Facts::add(OpwSymWord condition) {
  if (!is_symbolic(condition)) return condition != 0;
  const Expression& expression = expression_of(condition);
  switch (expression.kind) {
    case ExpressionKind::And: {
      for (const OpwSymWord operand : expression.operands) {
        if (!add(simplify(operand))) return false;
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
      conditions_.push_back(condition);
      ++version_;
      return true;
  }
}

bool Facts::narrow(const Expression& monomial, SymRange range) {
  Known& entry = known(monomial);
  if (entry.narrowed == SymRange() && monomial.kind != ExpressionKind::Symbol) {
    narrowed_.push_back(&monomial);
  }
  entry.narrowed = intersect(entry.narrowed, range);
  ++version_;
  return !is_empty(this->range(word_of(monomial)));
}

bool Facts::add_inequality(const Expression& condition) {
  const Polynomial polynomial = Polynomial::of(condition.operands[0]);
  if (polynomial.terms.size() == 1) {  // the coefficient is 1 or -1
    const SumTerm& term = polynomial.terms[0];
    return narrow(*term.monomial, term.coefficient > 0 ? SymRange{INT64_MIN, -polynomial.constant}
                                                       : SymRange{polynomial.constant, INT64_MAX});
  }
  conditions_.push_back(word_of(condition));
  ++version_;
  return true;
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
  conditions_.push_back(word_of(condition));
  ++version_;
  return true;
}

bool Facts::add_equality(const Expression& condition) {
  const Polynomial polynomial = Polynomial::of(condition.operands[0]);
  if (polynomial.terms.size() == 1) {  // the coefficient is 1
    return narrow(*polynomial.terms[0].monomial, {-polynomial.constant, -polynomial.constant});
  }
  // The newest symbol that the rest defines.
  const SumTerm* chosen = nullptr;
  for (const SumTerm& term : polynomial.terms) {
    if (term.monomial->kind != ExpressionKind::Symbol) continue;
    if (term.coefficient != 1 && term.coefficient != -1) continue;
    const auto elsewhere = [&](const SumTerm& other) {
      return &other != &term && mentions(word_of(*other.monomial), *term.monomial);
    };
    if (std::any_of(polynomial.terms.begin(), polynomial.terms.end(), elsewhere)) continue;
    if (!chosen || chosen->monomial->symbol < term.monomial->symbol) chosen = &term;
  }
  if (chosen) {
    const Polynomial itself = Polynomial::of(word_of(*chosen->monomial));
    const Polynomial rest = opwright::add(itself, polynomial, -chosen->coefficient);
    return replace(*chosen->monomial, canonical_.sum(rest));
  }
  conditions_.push_back(word_of(condition));
  ++version_;
  return true;
}

// The range of the symbol becomes that of the expression.
bool Facts::replace(const Expression& symbol, OpwSymWord by) {
  const SymRange values = range(word_of(symbol));
  known(symbol).replaced = by;
  ++version_;
  const auto demand = [&](OpwSymOp op, int64_t end) {
    return add(canonical_.apply(op, simplify(by), end));
  };
  if (values.least != INT64_MIN && !demand(kOpwSymGe, values.least)) return false;
  return values.greatest == INT64_MAX || demand(kOpwSymLe, values.greatest);
}

// What was learned of an expression that reads otherwise now is learned of the new one.
bool Facts::settle_narrowed() {
  for (const Expression* expression : std::exchange(narrowed_, {})) {
    const OpwSymWord now = rebuild(*expression);
    if (now == word_of(*expression)) {
      narrowed_.push_back(expression);
      continue;
    }
    const SymRange values = known(*expression).narrowed;
    if (values.least != INT64_MIN && !add(canonical_.apply(kOpwSymGe, now, values.least))) {
      return false;
    }
    if (values.greatest != INT64_MAX && !add(canonical_.apply(kOpwSymLe, now, values.greatest))) {
      return false;
    }
  }
  return true;
}

// Brings the conditions up to date until nothing new comes of it.
bool Facts::settle() {
  for (int round = 0; round < kMostRounds; ++round) {
    const uint32_t before = version_;
    std::vector<OpwSymWord> conditions = std::exchange(conditions_, {});
    std::vector<OpwSymWord> kept;
    bool is_changed = false;
    for (const OpwSymWord condition : conditions) {
      const OpwSymWord simple = simplify(condition);
      if (simple == condition) {
        kept.push_back(condition);
        continue;
      }
      is_changed = true;
      if (!add(simple)) return false;
    }
    conditions_.insert(conditions_.begin(), kept.begin(), kept.end());
    if (!settle_narrowed()) return false;
    if (!is_changed && version_ == before) return true;
  }
  return true;
}

}  // namespace opwright
