// How monomials relate to their parts, as claims for a proof.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/refutation.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr size_t kMostVariables = 40;
constexpr size_t kMostProducts = 24;

}  // namespace

void Refutation::explain_variables() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (is_explained_[i]) continue;
    is_explained_[i] = true;
    const Expression& monomial = *variables_[i];
    const SymRange range = ranges_.range(word_of(monomial));
    const Polynomial itself = Polynomial::of(word_of(monomial));
    if (range.least != INT64_MIN) add_claim({plus_constant(scale(itself, -1), range.least), false});
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

// (x - end of x) * (y - end of y) has a known sign at each pair of ends, for the product x * y.
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

// Multiplies assumptions by an atom of known sign, if the result contains a product of the problem.
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

}  // namespace opwright
