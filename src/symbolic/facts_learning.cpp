// How facts are taken in: ranges, equalities that replace a symbol, residues, and what is left.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/facts.h"
#include "opwright/symbolic/interval.h"
#include "opwright/symbolic/polynomial.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

__extension__ typedef __int128 Wide;

constexpr int kMostRounds = 12;
constexpr int64_t kMostModulus = int64_t{1} << 40;

// x with a * x == 1 modulo m; a and m have no common divisor.
int64_t invert(int64_t a, int64_t m) {
  int64_t old_rest = floor_remainder(a, m);
  int64_t rest = m;
  int64_t old_factor = 1;
  int64_t factor = 0;
  while (rest != 0) {
    const int64_t quotient = old_rest / rest;
    old_rest = std::exchange(rest, old_rest - quotient * rest);
    old_factor = std::exchange(factor, old_factor - quotient * factor);
  }
  return floor_remainder(old_factor, m);
}

// The greatest x with x^exponent <= value, which is not negative.
int64_t root(int64_t value, uint32_t exponent) {
  int64_t low = 0;
  int64_t high = value;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2 + 1;
    if (power({middle, middle}, exponent).least <= value) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace

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
  } catch (const Error&) {  // a bound left 64 bits: the condition is kept as it is
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

// The range of the symbol becomes that of the expression. `free` is the symbol or its quotient.
bool Facts::replace(const Expression& symbol, const Expression& free, OpwSymWord by) {
  const SymRange values = range(word_of(symbol));
  change(free).is_base = false;
  Known& entry = change(symbol);
  entry.replaced = by;
  entry.modulus = 1;
  entry.residue = 0;
  version_ = ++last_version_;
  const auto demand = [&](OpwSymOp op, int64_t end) {
    return add(canonical_.apply(op, rewrite(by), end));
  };
  if (values.least != INT64_MIN && !demand(kOpwSymGe, values.least)) return false;
  return values.greatest == INT64_MAX || demand(kOpwSymLe, values.greatest);
}

// ---- Residues ----

// Of c * x + k with a free symbol (or its quotient) x.
std::optional<bool> Facts::add_residue(OpwSymWord value, int64_t modulus, int64_t remainder) {
  const Polynomial polynomial = Polynomial::of(value);
  if (polynomial.terms.size() != 1) return std::nullopt;
  const SumTerm& term = polynomial.terms[0];
  const Expression* symbol = free_symbol(*term.monomial);
  if (!symbol || known(*symbol).replaced.has_value() != known(*term.monomial).is_base) {
    return std::nullopt;
  }
  if (greatest_divisor(term.coefficient, modulus) != 1) return std::nullopt;
  const int64_t before = known(*symbol).modulus;
  if (modulus > kMostModulus / before) return std::nullopt;
  const Wide wanted = static_cast<Wide>(invert(term.coefficient, modulus)) *
                      (static_cast<Wide>(remainder) - polynomial.constant);
  const auto rest = static_cast<int64_t>((wanted % modulus + modulus) % modulus);
  return set_residue(*symbol, before * modulus, before * rest + known(*symbol).residue);
}

bool Facts::set_residue(const Expression& symbol, int64_t modulus, int64_t residue) {
  const SymRange values = range(word_of(symbol));
  const Known before = known(symbol);
  if (before.modulus != 1) {
    change(*expression_of(*before.replaced).terms[0].monomial).is_base = false;
  }
  const OpwSymWord operands[] = {word_of(symbol), modulus};
  const Expression& quotient =
      canonical_.pool().intern_operands(ExpressionKind::FloorDiv, operands);
  Polynomial by = scale(Polynomial::of(word_of(quotient)), modulus);
  by.constant = residue;
  const OpwSymWord replaced = canonical_.sum(by);
  change(quotient).is_base = true;
  Known& entry = change(symbol);
  entry.narrowed = values;
  entry.modulus = modulus;
  entry.residue = residue;
  entry.replaced = replaced;
  version_ = ++last_version_;
  return !is_empty(range(word_of(quotient)));
}

// 2*s0 == 3*s1 makes s0 a multiple of 3 and s1 one of 2.
bool Facts::add_residues_of(const Polynomial& equality, bool* found) {
  for (const SumTerm& term : equality.terms) {
    int64_t others = 0;
    for (const SumTerm& other : equality.terms) {
      if (&other != &term) others = greatest_divisor(others, other.coefficient);
    }
    if (others <= 1 || others > kMostModulus) continue;
    Polynomial part;
    part.terms.push_back({term.monomial, floor_remainder(term.coefficient, others)});
    part.constant = floor_remainder(equality.constant, others);
    if (part.terms[0].coefficient == 0) continue;
    const std::optional<bool> outcome = add_residue(canonical_.sum(part), others, 0);
    if (!outcome) continue;
    *found = true;
    return *outcome;  // the others follow when it is rewritten
  }
  return true;
}

// ---- What follows ----

// Brings the conditions up to date until nothing new comes of it.
bool Facts::settle() {
  for (int round = 0; round < kMostRounds; ++round) {
    if (version_ != settled_at_) {
      settled_at_ = version_;
      num_settled_ = 0;
      for (const OpwSymWord condition : std::exchange(conditions_, {})) {
        const OpwSymWord now = rewrite(condition);
        if (now == condition) {
          conditions_.push_back(condition);
        } else if (!add(now)) {
          return false;
        }
      }
      if (!settle_narrowed()) return false;
    }
    for (; num_settled_ < conditions_.size(); ++num_settled_) {
      const Expression& expression = expression_of(conditions_[num_settled_]);
      const bool is_equality = expression.kind == ExpressionKind::Equal;
      if (!is_equality && expression.kind != ExpressionKind::AtMost) continue;
      if (!propagate(Polynomial::of(expression.operands[0]), is_equality)) return false;
    }
    if (version_ == settled_at_) break;
  }
  return true;
}

// What was learned of an expression that reads otherwise now is learned of the new one.
bool Facts::settle_narrowed() {
  for (const Expression* expression : std::exchange(narrowed_, {})) {
    const OpwSymWord now = rebuild(*expression);
    if (now == word_of(*expression)) {
      narrowed_.push_back(expression);
      if (!propagate_parts(*expression)) return false;
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

// Narrows each monomial of p <= 0 by the ranges of the other terms.
bool Facts::propagate(const Polynomial& polynomial, bool is_equality) {
  for (const SumTerm& term : polynomial.terms) {
    SymRange others{polynomial.constant, polynomial.constant};
    for (const SumTerm& other : polynomial.terms) {
      if (&other == &term) continue;
      others = opwright::add(others, opwright::multiply({other.coefficient, other.coefficient},
                                                        range(word_of(*other.monomial))));
    }
    // c * x <= -others, and >= -others for an equality.
    if (!is_equality) others.greatest = INT64_MAX;
    if (others.least == INT64_MIN && others.greatest == INT64_MAX) continue;
    const SymRange product = opwright::multiply({-1, -1}, others);
    const int64_t size = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    const SymRange values = term.coefficient < 0 ? opwright::multiply({-1, -1}, product) : product;
    const SymRange up = opwright::add(values, {size - 1, size - 1});
    const SymRange allowed{floor_divide(up, {size, size}).least,
                           floor_divide(values, {size, size}).greatest};
    const SymRange now = range(word_of(*term.monomial));
    if (allowed.least <= now.least && allowed.greatest >= now.greatest) continue;
    if (!narrow(*term.monomial, allowed)) return false;
  }
  return true;
}

// Factors of a bounded product are bounded, where none is negative.
bool Facts::propagate_product(const Expression& product) {
  const SymRange values = range(word_of(product));
  const auto range_of = [&](OpwSymWord factor) { return range(factor); };
  if (std::ranges::any_of(product.operands, [&](OpwSymWord f) { return range(f).least < 0; })) {
    return true;
  }
  for (size_t i = 0; i < product.operands.size();) {
    const OpwSymWord factor = product.operands[i];
    const auto is_factor = [&](OpwSymWord word) { return word == factor; };
    const auto exponent = static_cast<uint32_t>(std::ranges::count_if(product.operands, is_factor));
    i += exponent;
    SymRange others{1, 1};
    for (const OpwSymWord other : product.operands) {
      if (other != factor) others = opwright::multiply(others, range_of(other));
    }
    SymRange allowed;
    if (values.least > 0) allowed.least = 1;
    if (values.greatest != INT64_MAX && others.least >= 1) {
      allowed.greatest = root(std::max<int64_t>(values.greatest, 0) / others.least, exponent);
    }
    if (values.least > 0 && others.greatest != INT64_MAX && others.greatest > 0) {
      const int64_t least = (values.least - 1) / others.greatest;  // the power is greater
      allowed.least = root(least, exponent) + 1;
    }
    const SymRange now = range(factor);
    if (allowed.least <= now.least && allowed.greatest >= now.greatest) continue;
    if (!narrow(expression_of(factor), allowed)) return false;
  }
  return true;
}

// What the range of a quotient, a maximum or a minimum tells of its operands.
bool Facts::propagate_parts(const Expression& expression) {
  const SymRange values = range(word_of(expression));
  const auto bound = [&](OpwSymWord word, OpwSymOp op, const SymRange& ends) {
    const int64_t end = op == kOpwSymGe ? ends.least : ends.greatest;
    if (end == INT64_MIN || end == INT64_MAX || end < kOpwSmallestInt) return true;
    return add(rewrite(canonical_.apply(op, word, end)));
  };
  switch (expression.kind) {
    case ExpressionKind::Product:
      return propagate_product(expression);
    case ExpressionKind::FloorDiv: {
      const OpwSymWord divisor = expression.operands[1];
      if (is_symbolic(divisor) || known(expression).is_base) return true;
      const SymRange numerators = opwright::multiply(values, {divisor, divisor});
      return bound(expression.operands[0], kOpwSymGe, numerators) &&
             bound(expression.operands[0], kOpwSymLe,
                   opwright::add(numerators, {divisor - 1, divisor - 1}));
    }
    case ExpressionKind::Max:
    case ExpressionKind::Min: {
      const OpwSymOp op = expression.kind == ExpressionKind::Max ? kOpwSymLe : kOpwSymGe;
      return std::ranges::all_of(expression.operands,
                                 [&](OpwSymWord operand) { return bound(operand, op, values); });
    }
    default:
      return true;
  }
}

}  // namespace opwright
