#include "opwright/symbolic/facts/refutation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/linear_system.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kMostRelated = 40;
constexpr size_t kMostChoices = 12;
constexpr int kRefutationBudget = 64;

}  // namespace

// ---- Assumptions ----

Refutation::Claims Refutation::claims_of(OpwSymWord condition, bool* is_choice) {
  *is_choice = false;
  if (!is_symbolic(condition)) {
    if (condition != 0) return {};
    return {{Polynomial::of(1), false}};
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

// For a NotEqual or an Or. An alternative that is itself a choice counts as always possible.
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
    budget_ = kRefutationBudget;
    return refute(rows, 0);
  } catch (const Error&) {  // a coefficient exceeded 64 bits
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
