// Proves that conditions contradict what is known; decisions are based on it.
//
// Monomials become the variables of a linear system; lemmas relate a quotient, a maximum or a
// product to its parts. Alternatives (a disequality, a maximum) are tried one by one. A proof may
// be missed, but none is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/linear_system.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

class Refutation {
 public:
  // The arguments must outlive it.
  Refutation(const Canonical& canonical, const Ranges& ranges)
      : canonical_(canonical), ranges_(ranges) {}

  void assume(OpwSymWord condition);
  // Adds what the ranges say about an expression.
  void consider(OpwSymWord word);
  // Adds those conditions, and expressions with their own range, that are related to the
  // assumptions so far.
  void assume_related(std::span<const OpwSymWord> conditions,
                      std::span<const Expression* const> narrowed);

  // True: the assumptions cannot all hold.
  [[nodiscard]] bool succeeds();
  // A superset of the values that the assumptions allow for an expression.
  [[nodiscard]] SymRange bounds(OpwSymWord word);

 private:
  // p <= 0 or p == 0
  struct Claim {
    Polynomial polynomial;
    bool is_equality = false;
  };
  using Claims = std::vector<Claim>;
  // One of the alternatives holds.
  struct Choice {
    std::vector<Claims> alternatives;
  };

  [[nodiscard]] Claims claims_of(OpwSymWord condition, bool* is_choice);
  [[nodiscard]] Choice choice_of(OpwSymWord condition);
  void add_claim(Claim claim);
  void add_choice(Choice choice);
  size_t variable(const Expression& monomial);
  [[nodiscard]] LinearRow row_of(const Claim& claim);

  void explain_variables();
  void explain(const Expression& monomial);
  void explain_atom(const Expression& atom);
  void explain_quotient(const Expression& atom);
  void explain_extreme(const Expression& atom);
  void explain_condition(const Expression& atom);
  void explain_product(const Expression& product);
  void multiply_claims();
  [[nodiscard]] bool refute(std::vector<LinearRow>& rows, size_t next_choice);
  [[nodiscard]] std::vector<LinearRow> all_rows();

  const Canonical& canonical_;
  const Ranges& ranges_;
  Claims claims_;
  std::vector<Choice> choices_;
  std::vector<std::vector<std::vector<LinearRow>>> choice_rows_;
  std::vector<const Expression*> variables_;
  std::vector<bool> is_explained_;
  std::unordered_map<const Expression*, size_t> places_;
  size_t num_given_ = 0;  // claims that are not lemmas
  int budget_ = 0;
};

}  // namespace opwright
