// What is known of the symbols of one environment, and what follows from it.
//
// Facts only grow: what is decided once stays decided.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/base/small_vector.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_pool.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/witnesses.h"

namespace opwright {

class Facts final : public Ranges {
 public:
  explicit Facts(ExpressionPool& pool) : canonical_(pool, *this) {}

  // To be called for each symbol, in order of their making.
  void add_symbol(const Expression& symbol, std::optional<int64_t> hint);

  // Takes a condition for true. False: it contradicts what is known or the values of this run, and
  // nothing is learned.
  [[nodiscard]] bool learn(OpwSymWord condition);

  // Whether a condition holds for all values that the facts admit. `now`, where it is known, is how
  // it is in this run: then the other answer is not tried.
  [[nodiscard]] std::optional<bool> decide(OpwSymWord condition,
                                           std::optional<bool> now = std::nullopt);
  // What was decided before, or is plain to see.
  [[nodiscard]] std::optional<bool> recall(OpwSymWord condition) const {
    if (!is_symbolic(condition)) return condition != 0;
    const size_t id = expression_of(condition).id;
    return id < known_.size() ? known_[id].decided : std::nullopt;
  }
  // By parts, with what was learned of each part.
  [[nodiscard]] SymRange range(OpwSymWord word) const override;
  // From all facts together.
  [[nodiscard]] SymRange tight_range(OpwSymWord word) const;
  // The same of symbol == value, and the value stands for the symbol from here on, where it can.
  [[nodiscard]] bool learn_replacement(const Expression& symbol, OpwSymWord value);
  // Takes in a range that follows from the facts, but is not seen by parts. Whether it was news.
  bool learn_range(const Expression& symbol, SymRange values);
  // What tight_range() tells of each symbol, and what follows from that.
  void learn_ranges();
  // Grows with each fact.
  [[nodiscard]] uint32_t num_learned() const noexcept { return num_learned_; }
  // With equalities put in and the ranges used. A symbol s0 that is known to be 2 more than a
  // multiple of 8 reads 8*(s0//8) + 2 here, so that multiples are seen.
  [[nodiscard]] OpwSymWord rewrite(OpwSymWord word) const;
  // The same for readers, with what proofs tell of divisions and maxima.
  [[nodiscard]] OpwSymWord simplify(OpwSymWord word);

 private:
  // Of one expression, by its id.
  struct Known {
    SymRange narrowed;                   // what was learned of it as a whole
    std::optional<OpwSymWord> replaced;  // of a symbol
    int64_t modulus = 1;  // of a symbol: it is replaced by modulus * quotient + residue
    int64_t residue = 0;
    bool is_base = false;         // the quotient in such a replacement
    std::optional<bool> decided;  // of a condition, for good
    uint32_t undecided_at = 0;    // the number of facts from which nothing followed
    uint32_t rewritten_at = 0;
    OpwSymWord rewritten = 0;
    uint32_t ranged_at = 0;
    SymRange range;
  };
  Known& known(const Expression& expression) const;
  // The same, to be changed; what it was comes back if the fact at hand contradicts.
  Known& change(const Expression& expression);
  struct Before {
    const Expression* expression;
    Known known;
  };
  // What put_back() needs besides the undo list.
  struct Saved {
    std::vector<OpwSymWord> conditions;
    std::vector<const Expression*> narrowed;
    uint32_t version;
    uint32_t settled_at;
    size_t num_settled;
  };
  [[nodiscard]] Saved save();
  void put_back(const Saved& saved);

  [[nodiscard]] OpwSymWord rebuild(const Expression& expression) const;
  [[nodiscard]] bool may_divide_by_zero(OpwSymWord word) const;
  [[nodiscard]] std::optional<bool> decide_anew(OpwSymWord condition, std::optional<bool> now);
  [[nodiscard]] std::optional<bool> decide_parts(const Expression& condition,
                                                 std::optional<bool> now);
  [[nodiscard]] bool refutes(OpwSymWord condition) const;
  [[nodiscard]] bool refutes_symbols_of(OpwSymWord condition) const;
  // Whether a contradiction follows when it is taken for a fact; nothing is learned.
  [[nodiscard]] bool is_ruled_out(OpwSymWord condition);
  bool take_in(OpwSymWord condition);
  [[nodiscard]] bool admits_this_run() const;
  bool add(OpwSymWord condition);
  bool add_equality(const Expression& condition);
  bool add_inequality(const Expression& condition);
  bool add_disequality(const Expression& condition);
  bool narrow(const Expression& monomial, SymRange range);
  bool replace(const Expression& symbol, const Expression& free, OpwSymWord by);
  bool keep(OpwSymWord condition);
  bool bound(OpwSymWord word, const SymRange& values);
  // From value == remainder modulo `modulus`; unset where nothing simple follows.
  std::optional<bool> add_residue(OpwSymWord value, int64_t modulus, int64_t remainder);
  bool set_residue(const Expression& symbol, int64_t modulus, int64_t residue);
  bool add_residues_of(const Polynomial& equality, bool* found);
  bool settle();
  void find_witnesses();
  // Whether the other answer than `seen` is found near a witness; then it is one from here on.
  [[nodiscard]] bool has_other_witness(OpwSymWord condition, bool seen);
  bool offer(Witnesses::Values values);
  [[nodiscard]] int64_t fit(const Expression& symbol, int64_t value) const;
  bool settle_narrowed();
  bool propagate(const Polynomial& polynomial, bool is_equality);
  bool propagate_product(const Expression& product);
  bool propagate_parts(const Expression& expression);
  [[nodiscard]] SymRange own_range(const Expression& expression) const;
  // The symbol of a symbol or of the quotient in its replacement; else null.
  [[nodiscard]] const Expression* free_symbol(const Expression& monomial) const;

  [[nodiscard]] OpwSymWord deepen(OpwSymWord word);
  [[nodiscard]] OpwSymWord deepen_extreme(const Expression& extreme);
  [[nodiscard]] OpwSymWord cancel_quotients(const Polynomial& polynomial);
  [[nodiscard]] OpwSymWord restore(OpwSymWord word) const;
  [[nodiscard]] Polynomial restore_term(const SumTerm& term) const;
  // The operands or, of a sum, the monomials.
  using Parts = SmallVector<OpwSymWord, 4>;
  [[nodiscard]] static Parts parts_of(const Expression& expression);
  // The expression with other parts, in canonical form again.
  [[nodiscard]] OpwSymWord with_parts(const Expression& expression, const Parts& parts) const;

  Canonical canonical_;
  std::vector<OpwSymWord> conditions_;       // those that are not a range or a replacement
  std::vector<const Expression*> narrowed_;  // other than symbols
  mutable std::vector<Known> known_;         // by id
  // Of ranges and replacements: what was computed from them is good as long as it does not change.
  uint32_t version_ = 1;
  uint32_t last_version_ = 1;  // no version comes twice, also where a change was put back
  uint32_t num_learned_ = 1;
  uint32_t settled_at_ = 0;
  size_t num_settled_ = 0;  // of the conditions
  static constexpr size_t kWantedWitnesses = 3;
  std::vector<Before> undo_;  // what changed since learn() began
  std::vector<const Expression*> symbols_;
  std::vector<std::optional<int64_t>> hints_;
  Witnesses witnesses_;
};

}  // namespace opwright
