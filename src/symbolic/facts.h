// What is known of the symbols of one environment, and what follows from it.
//
// Facts only grow: what is decided once stays decided.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/expression_pool.h"
#include "opwright/symbolic/polynomial.h"
#include "opwright/symbolic/shape_env.h"

namespace opwright {

class Facts final : public Ranges {
 public:
  explicit Facts(ExpressionPool& pool) : canonical_(pool, *this) {}

  // Takes a condition for true. False: it contradicts what is known, and nothing is learned.
  [[nodiscard]] bool learn(OpwSymWord condition);

  // Whether a condition holds for all values that the facts admit.
  [[nodiscard]] std::optional<bool> decide(OpwSymWord condition) const;
  // By parts, with what was learned of each part.
  [[nodiscard]] SymRange range(OpwSymWord word) const override;
  // With equalities put in and the ranges used.
  [[nodiscard]] OpwSymWord simplify(OpwSymWord word) const;

  // The expression that an equality put in the place of a symbol.
  [[nodiscard]] std::optional<OpwSymWord> replacement(const Expression& symbol) const;

 private:
  // Of one expression, by its id.
  struct Known {
    SymRange narrowed;                   // what was learned of it as a whole
    std::optional<OpwSymWord> replaced;  // of a symbol
    std::optional<bool> decided;         // of a condition, for good
    uint32_t undecided_at = 0;           // the version at which nothing followed
    uint32_t simplified_at = 0;
    OpwSymWord simplified = 0;
    uint32_t ranged_at = 0;
    SymRange range;
  };
  Known& known(const Expression& expression) const;

  [[nodiscard]] OpwSymWord rebuild(const Expression& expression) const;
  [[nodiscard]] std::optional<bool> decide_anew(OpwSymWord condition) const;
  bool add(OpwSymWord condition);
  bool add_equality(const Expression& condition);
  bool add_inequality(const Expression& condition);
  bool add_disequality(const Expression& condition);
  bool narrow(const Expression& monomial, SymRange range);
  bool replace(const Expression& symbol, OpwSymWord by);
  bool settle();
  bool settle_narrowed();

  Canonical canonical_;
  std::vector<OpwSymWord> conditions_;       // those that are not a range or a replacement
  std::vector<const Expression*> narrowed_;  // other than symbols
  mutable std::vector<Known> known_;         // by id
  uint32_t version_ = 1;
};

}  // namespace opwright
