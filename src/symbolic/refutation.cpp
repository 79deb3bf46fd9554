#include "opwright/symbolic/refutation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/interval.h"
#include "opwright/symbolic/linear_system.h"
#include "opwright/symbolic/polynomial.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kMostVariables = 40;
constexpr size_t kMostRelated = 40;
constexpr size_t kMostChoices = 12;
constexpr size_t kMostProducts = 24;
constexpr int kMostTries = 64;

Polynomial plus_constant(Polynomial polynomial, int64_t more) {
  polynomial.constant = checked_add(polynomial.constant, more);
  return polynomial;
}
Polynomial minus(const Polynomial& a, const Polynomial& b) { return add(a, b, -1); }
Polynomial constant(int64_t value) { return Polynomial::of(value); }

}  // namespace

// ---- What is given ----

Refutation::Claims Refutation::claims_of(OpwSymWord condition, bool* is_choice) {
  *is_choice = false;
  if (!is_symbolic(condition)) {
    if (condition != 0) return {};
    return {{constant(1), false}};
  }
  const Expression& expression = expression_of(condition);
  const auto operands = expression.operands;
  switch (expression.kind) {
    case ExpressionKind::Equal:
      return {{Polynomial::of(operands[0]), true}};
    case ExpressionKind::AtMost:
      return {{Polynomial::of(operands[0]), false}};
    case ExpressionKind::And: {
      Claims all;
      for (const OpwSymWord operand : operands) {
        bool is_inner_choice = false;
        Claims claims = claims_of(operand, &is_inner_choice);
        std::ranges::move(claims, std::back_inserter(all));
        if (is_inner_choice) add_choice(choice_of(operand));
      }
      return all;
    }
    default:
      *is_choice = true;
      return {};
  }
}

// Of a NotEqual or an Or. An alternative that is a choice itself counts as always possible.
Refutation::Choice Refutation::choice_of(OpwSymWord condition) {
  const Expression& expression = expression_of(condition);
  Choice choice;
  if (expression.kind == ExpressionKind::NotEqual) {
    const Polynomial polynomial = Polynomial::of(expression.operands[0]);
    choice.alternatives.push_back({{plus_constant(polynomial, 1), false}});
    choice.alternatives.push_back({{plus_constant(scale(polynomial, -1), 1), false}});
    return choice;
  }
  for (const OpwSymWord operand : expression.operands) {
    const Expression& part = expression_of(operand);
    if (part.kind == ExpressionKind::NotEqual) {
      for (Claims& inner : choice_of(operand).alternatives) {
        choice.alternatives.push_back(std::move(inner));
      }
      continue;
    }
    Claims claims;
    const auto parts =
        part.kind == ExpressionKind::And ? part.operands : std::span<const OpwSymWord>(&operand, 1);
    for (const OpwSymWord inner : parts) {
      const ExpressionKind kind = expression_of(inner).kind;
      if (kind != ExpressionKind::Equal && kind != ExpressionKind::AtMost) continue;
      claims.push_back(
          {Polynomial::of(expression_of(inner).operands[0]), kind == ExpressionKind::Equal});
    }
    choice.alternatives.push_back(std::move(claims));
  }
  return choice;
}

void Refutation::assume(OpwSymWord condition) {
  bool is_choice = false;
  for (Claim& claim : claims_of(condition, &is_choice)) add_claim(std::move(claim));
  if (is_choice) add_choice(choice_of(condition));
  num_given_ = claims_.size();
}

void Refutation::consider(OpwSymWord word) {
  for (const SumTerm& term : Polynomial::of(word).terms) variable(*term.monomial);
  const Expression& expression = expression_of(word);
  const SymRange values = ranges_.range(word);
  if (expression.kind != ExpressionKind::Mod || values.least != values.greatest) return;
  // a == b*(a // b) + r
  const OpwSymWord a = expression.operands[0];
  const OpwSymWord b = expression.operands[1];
  const Polynomial whole =
      multiply(canonical_.pool(), Polynomial::of(canonical_.floor_div(a, b)), Polynomial::of(b));
  add_claim({plus_constant(minus(Polynomial::of(a), whole), -values.least), true});
  num_given_ = claims_.size();
}

void Refutation::assume_related(std::span<const OpwSymWord> conditions,
                                std::span<const Expression* const> narrowed) {
  std::unordered_set<const Expression*> related;
  for (const Expression* monomial : variables_) {
    for (const Expression* symbol : symbols_in(word_of(*monomial))) related.insert(symbol);
  }
  std::vector<OpwSymWord> left(conditions.begin(), conditions.end());
  for (const Expression* expression : narrowed) left.push_back(word_of(*expression));
  size_t taken = 0;
  for (bool is_growing = true; is_growing && taken < kMostRelated;) {
    is_growing = false;
    std::vector<OpwSymWord> others;
    for (const OpwSymWord word : left) {
      const std::vector<const Expression*> symbols = symbols_in(word);
      const auto is_related = [&](const Expression* symbol) { return related.contains(symbol); };
      if (taken >= kMostRelated || std::ranges::none_of(symbols, is_related)) {
        others.push_back(word);
        continue;
      }
      if (expression_of(word).is_condition()) {
        assume(word);
      } else {
        consider(word);
      }
      related.insert(symbols.begin(), symbols.end());
      ++taken;
      is_growing = true;
    }
    left = std::move(others);
  }
}

void Refutation::add_claim(Claim claim) {
  for (const SumTerm& term : claim.polynomial.terms) variable(*term.monomial);
  claims_.push_back(std::move(claim));
}

void Refutation::add_choice(Choice choice) {
  if (choices_.size() >= kMostChoices) return;
  for (const Claims& claims : choice.alternatives) {
    for (const Claim& claim : claims) {
      for (const SumTerm& term : claim.polynomial.terms) variable(*term.monomial);
    }
  }
  choices_.push_back(std::move(choice));
}

size_t Refutation::variable(const Expression& monomial) {
  const auto [place, is_new] = places_.emplace(&monomial, variables_.size());
  if (is_new) {
    variables_.push_back(&monomial);
    is_explained_.push_back(false);
  }
  return place->second;
}

// ---- Lemmas ----

void Refutation::explain_variables() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (is_explained_[i]) continue;
    is_explained_[i] = true;
    const Expression& monomial = *variables_[i];
    const SymRange range = ranges_.range(word_of(monomial));
    const Polynomial itself = Polynomial::of(word_of(monomial));
    if (range.least != INT64_MIN) add_claim({minus(constant(range.least), itself), false});
    if (range.greatest != INT64_MAX) {
      add_claim({plus_constant(itself, -range.greatest), false});
    }
    if (variables_.size() < kMostVariables) explain(monomial);
  }
}

void Refutation::explain(const Expression& monomial) {
  if (monomial.kind == ExpressionKind::Product) return explain_product(monomial);
  explain_atom(monomial);
}

void Refutation::explain_atom(const Expression& atom) {
  switch (atom.kind) {
    case ExpressionKind::FloorDiv:
    case ExpressionKind::Mod:
      return explain_quotient(atom);
    case ExpressionKind::Max:
    case ExpressionKind::Min:
      return explain_extreme(atom);
    case ExpressionKind::Symbol:
    case ExpressionKind::Product:
    case ExpressionKind::Sum:
      return;
    default:
      return explain_condition(atom);
  }
}

// a // b is q and a % b is r with a == b*q + r, r from 0 to b - 1 (or b + 1 to 0).
void Refutation::explain_quotient(const Expression& atom) {
  const OpwSymWord a = atom.operands[0];
  const OpwSymWord b = atom.operands[1];
  const SymRange divisors = ranges_.range(b);
  if (contains(divisors, 0) && divisors.least != 0) return;
  const bool is_positive = divisors.greatest > 0;  // an expression that divides by 0 has no value
  const Polynomial numerator = Polynomial::of(a);
  const Polynomial divisor = Polynomial::of(b);
  const Polynomial quotient = Polynomial::of(
      atom.kind == ExpressionKind::FloorDiv ? word_of(atom) : canonical_.floor_div(a, b));
  const Polynomial product = multiply(canonical_.pool(), divisor, quotient);
  const Polynomial rest = minus(numerator, product);
  const int64_t sign = is_positive ? 1 : -1;
  add_claim({scale(rest, -sign), false});
  add_claim({plus_constant(scale(minus(rest, divisor), sign), 1), false});
  const SymRange numerators = ranges_.range(a);
  const Polynomial itself = Polynomial::of(word_of(atom));
  if (atom.kind == ExpressionKind::Mod) add_claim({minus(itself, rest), true});
  if (is_symbolic(b) && is_positive && numerators.least >= 0) {
    add_claim({minus(itself, numerator), false});
  }
}

void Refutation::explain_extreme(const Expression& atom) {
  const int64_t sign = atom.kind == ExpressionKind::Max ? 1 : -1;
  const Polynomial itself = Polynomial::of(word_of(atom));
  Choice choice;
  for (const OpwSymWord operand : atom.operands) {
    const Polynomial difference = minus(Polynomial::of(operand), itself);
    add_claim({scale(difference, sign), false});
    choice.alternatives.push_back({{difference, true}});
  }
  add_choice(std::move(choice));
}

void Refutation::explain_condition(const Expression& atom) {
  const Polynomial itself = Polynomial::of(word_of(atom));
  Choice choice;
  for (const bool holds : {true, false}) {
    const OpwSymWord condition = holds ? word_of(atom) : canonical_.negate(word_of(atom));
    const Claim value{plus_constant(itself, holds ? -1 : 0), true};
    const Expression* simple = is_symbolic(condition) ? &expression_of(condition) : nullptr;
    if (simple && simple->kind == ExpressionKind::NotEqual) {
      for (Claims& claims : choice_of(condition).alternatives) {
        claims.push_back(value);
        choice.alternatives.push_back(std::move(claims));
      }
      continue;
    }
    Claims claims{value};
    if (simple &&
        (simple->kind == ExpressionKind::Equal || simple->kind == ExpressionKind::AtMost)) {
      claims.push_back(
          {Polynomial::of(simple->operands[0]), simple->kind == ExpressionKind::Equal});
    }
    choice.alternatives.push_back(std::move(claims));
  }
  add_choice(std::move(choice));
}

// (x - end of x) * (y - end of y) has a known sign at each pair of ends, where the product is x *
// y.
void Refutation::explain_product(const Expression& product) {
  for (size_t i = 0; i < product.operands.size(); ++i) {
    if (i > 0 && product.operands[i] == product.operands[i - 1]) continue;
    const Expression& factor = expression_of(product.operands[i]);
    bool divides = false;
    const OpwSymWord others = divide_monomial(canonical_.pool(), product, factor, &divides);
    const SymRange x = ranges_.range(word_of(factor));
    const SymRange y = ranges_.range(others);
    const auto claim = [&](int64_t x_end, int64_t y_end, int64_t sign) {
      const Polynomial left = plus_constant(Polynomial::of(word_of(factor)), -x_end);
      const Polynomial right = plus_constant(Polynomial::of(others), -y_end);
      add_claim({scale(multiply(canonical_.pool(), left, right), sign), false});
    };
    const auto is_usable = [](int64_t end) {
      constexpr int64_t kMost = int64_t{1} << 40;
      return end > -kMost && end < kMost;
    };
    if (is_usable(x.least) && is_usable(y.least)) claim(x.least, y.least, -1);
    if (is_usable(x.greatest) && is_usable(y.greatest)) claim(x.greatest, y.greatest, -1);
    if (is_usable(x.least) && is_usable(y.greatest)) claim(x.least, y.greatest, 1);
    if (is_usable(x.greatest) && is_usable(y.least)) claim(x.greatest, y.least, 1);
  }
}

// What was given, times an atom of known sign, where that speaks of a product in the problem.
void Refutation::multiply_claims() {
  std::vector<std::pair<size_t, const Expression*>> wanted;
  for (const Expression* monomial : std::vector(variables_)) {
    if (monomial->kind != ExpressionKind::Product) continue;
    for (const OpwSymWord factor : monomial->operands) {
      const Expression& atom = expression_of(factor);
      bool divides = false;
      const OpwSymWord others = divide_monomial(canonical_.pool(), *monomial, atom, &divides);
      for (size_t i = 0; i < num_given_; ++i) {
        const auto speaks_of_it = [&](const SumTerm& term) {
          return word_of(*term.monomial) == others;
        };
        if (std::ranges::none_of(claims_[i].polynomial.terms, speaks_of_it)) continue;
        if (std::ranges::find(wanted, std::pair(i, &atom)) == wanted.end()) {
          wanted.emplace_back(i, &atom);
        }
      }
    }
  }
  if (wanted.size() > kMostProducts) wanted.resize(kMostProducts);
  for (const auto& [place, atom] : wanted) {
    const SymRange values = ranges_.range(word_of(*atom));
    const Claim given = claims_[place];
    const Polynomial product =
        multiply(canonical_.pool(), given.polynomial, Polynomial::of(word_of(*atom)));
    if (given.is_equality || values.least >= 0) {
      add_claim({product, given.is_equality});
    } else if (values.greatest <= 0) {
      add_claim({scale(product, -1), false});
    }
  }
}

// ---- The proof ----

LinearRow Refutation::row_of(const Claim& claim) {
  LinearRow row;
  for (const SumTerm& term : claim.polynomial.terms) {
    row.terms.push_back({static_cast<uint32_t>(variable(*term.monomial)), term.coefficient});
  }
  std::ranges::sort(row.terms, {}, &LinearTerm::variable);
  row.constant = claim.polynomial.constant;
  row.is_equality = claim.is_equality;
  return row;
}

std::vector<LinearRow> Refutation::all_rows() {
  explain_variables();
  multiply_claims();
  explain_variables();
  std::vector<LinearRow> rows;
  for (const Claim& claim : claims_) rows.push_back(row_of(claim));
  choice_rows_.clear();
  for (const Choice& choice : choices_) {
    auto& alternatives = choice_rows_.emplace_back();
    for (const Claims& claims : choice.alternatives) {
      auto& alternative = alternatives.emplace_back();
      for (const Claim& claim : claims) alternative.push_back(row_of(claim));
    }
  }
  return rows;
}

bool Refutation::refute(std::vector<LinearRow>& rows, size_t next_choice) {
  if (--budget_ < 0) return false;
  if (LinearSystem(rows, variables_.size()).is_infeasible()) return true;
  if (next_choice == choice_rows_.size()) return false;
  const size_t before = rows.size();
  for (const auto& alternative : choice_rows_[next_choice]) {
    rows.insert(rows.end(), alternative.begin(), alternative.end());
    const bool is_refuted = refute(rows, next_choice + 1);
    rows.resize(before);
    if (!is_refuted) return false;
  }
  return true;
}

bool Refutation::succeeds() {
  try {
    std::vector<LinearRow> rows = all_rows();
    budget_ = kMostTries;
    return refute(rows, 0);
  } catch (const Error&) {  // a coefficient left 64 bits
    return false;
  }
}

SymRange Refutation::bounds(OpwSymWord word) {
  try {
    std::vector<LinearRow> rows = all_rows();
    LinearRow definition = row_of({Polynomial::of(word), true});
    const auto itself = static_cast<uint32_t>(variables_.size());
    definition.terms.push_back({itself, -1});
    rows.push_back(std::move(definition));
    return LinearSystem(std::move(rows), itself + 1).bounds(itself);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace opwright
