// What is known about the symbols of one environment, and what follows from it.
//
// Facts only grow: a decision is never revised.
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

  // Call it for each symbol, in order of creation.
  void add_symbol(const Expression& symbol, std::optional<int64_t> hint);

  // Assumes that a condition is true. Returns false, learning nothing, if it contradicts known
  // facts or the values of this run.
  [[nodiscard]] bool learn(OpwSymWord condition);

  // Whether a condition holds for all values that the facts allow. `now`, if known, is its value in
  // this run: then the opposite answer is not tried.
  [[nodiscard]] std::optional<bool> decide(OpwSymWord condition,
                                           std::optional<bool> now = std::nullopt);
  // The earlier decision, if there was one, or an obvious answer.
  [[nodiscard]] std::optional<bool> recall(OpwSymWord condition) const {
    if (!is_symbolic(condition)) return condition != 0;
    const size_t id = expression_of(condition).id;
    return id < known_.size() ? known_[id].decided : std::nullopt;
  }
  // Computed from the parts, with what was learned about each part.
  [[nodiscard]] SymRange range(OpwSymWord word) const override;
  // Computed from all facts together.
  [[nodiscard]] SymRange tight_range(OpwSymWord word) const;
  // The same for symbol == value; from here on the value replaces the symbol, where possible.
  [[nodiscard]] bool learn_replacement(const Expression& symbol, OpwSymWord value);
  // Adds a range that follows from the facts but not from the parts alone. Returns whether it was
  // new.
  bool learn_range(const Expression& symbol, SymRange values);
  // Learns what tight_range() finds for each symbol, and what follows from it.
  void learn_ranges();
  // Increases with each fact.
  [[nodiscard]] uint32_t num_learned() const noexcept { return num_learned_; }
  // Substitutes equalities and applies the ranges. A symbol s0 known to be 2 more than a multiple
  // of 8 becomes 8*(s0//8) + 2 here, so that multiples are visible.
  [[nodiscard]] OpwSymWord rewrite(OpwSymWord word) const;
  // The same for readers, using proofs about divisions and maxima.
  [[nodiscard]] OpwSymWord simplify(OpwSymWord word);

 private:
  // What is known about one expression, by its id.
  struct Known {
    SymRange narrowed;                   // what was learned about the expression itself
    std::optional<OpwSymWord> replaced;  // of a symbol
    int64_t modulus = 1;                 // for a symbol: replaced by modulus * quotient + residue
    int64_t residue = 0;
    bool is_base = false;         // the quotient in such a replacement
    std::optional<bool> decided;  // for a condition, final
    uint32_t undecided_at = 0;    // the number of facts that did not decide it
    uint32_t rewritten_at = 0;
    OpwSymWord rewritten = 0;
    uint32_t ranged_at = 0;
    SymRange range;
  };
  Known& known(const Expression& expression) const;
  // The same, to be modified; the old state is restored if the current fact is contradictory.
  Known& change(const Expression& expression);
  struct Before {
    const Expression* expression;
    Known known;
  };
  // What put_back() needs in addition to the undo list.
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
  // Whether assuming the condition leads to a contradiction; learns nothing.
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
  // From value == remainder modulo `modulus`; empty if nothing simple follows.
  std::optional<bool> add_residue(OpwSymWord value, int64_t modulus, int64_t remainder);
  bool set_residue(const Expression& symbol, int64_t modulus, int64_t residue);
  bool add_residues_of(const Polynomial& equality, bool* found);
  bool settle();
  void find_witnesses();
  // Whether the answer opposite to `seen` is found near a witness; if so, that becomes a witness.
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
  // The operands or, for a sum, the monomials.
  using Parts = SmallVector<OpwSymWord, 4>;
  [[nodiscard]] static Parts parts_of(const Expression& expression);
  // The expression with other parts, brought into canonical form.
  [[nodiscard]] OpwSymWord with_parts(const Expression& expression, const Parts& parts) const;

  Canonical canonical_;
  std::vector<OpwSymWord> conditions_;       // not expressed as a range or a replacement
  std::vector<const Expression*> narrowed_;  // other than symbols
  mutable std::vector<Known> known_;         // by id
  // Of ranges and replacements: results computed from them stay valid while it does not change.
  uint32_t version_ = 1;
  uint32_t last_version_ = 1;  // versions are never reused, even after an undo
  uint32_t num_learned_ = 1;
  uint32_t settled_at_ = 0;
  size_t num_settled_ = 0;  // number of settled conditions
  static constexpr size_t kWantedWitnesses = 3;
  std::vector<Before> undo_;  // what changed since learn() began
  std::vector<const Expression*> symbols_;
  std::vector<std::optional<int64_t>> hints_;
  Witnesses witnesses_;
};

}  // namespace opwright
