// Symbols that are known modulo a number.
#include <cstdint>
#include <optional>
#include <utility>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/expression/wide_int.h"
#include "opwright/symbolic/facts/facts.h"

namespace opwright {
namespace {

constexpr int64_t kMostModulus = int64_t{1} << 40;

// x with a * x == 1 modulo m; a and m are coprime.
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

}  // namespace

// For c * x + k with a free symbol (or its quotient) x.
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
  const WideInt wanted = static_cast<WideInt>(invert(term.coefficient, modulus)) *
                         (static_cast<WideInt>(remainder) - polynomial.constant);
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

// 2*s0 == 3*s1 makes s0 a multiple of 3 and s1 a multiple of 2.
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

}  // namespace opwright
