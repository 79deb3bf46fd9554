// ShapeEnv: the owner of symbolic ints, for the length of one trace and of the graph that it made.
//
// A symbol is *backed* when this run has a value for it (a hint): questions are decided by the hint
// and recorded as guards. It is *unbacked* when its value is known at run time only: what its range
// and the facts do not decide is refused, or becomes a run-time assertion where code demands
// instead of asking. Expressions are kept in one canonical form, so that two SymInts of one
// environment are equal expressions exactly if their words are equal.
//
// One thread at a time; counts may be changed from any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/base/source_site.h"
#include "opwright/c_api.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

struct ShapeEnvOptions {
  bool duck_shaping = true;          // sizes with equal hints get one symbol
  bool specialises_zero_one = true;  // sizes of 0 and 1 stay plain; others are at least 2
};

// A condition that holds in this run because a question was decided so.
struct Guard {
  SymInt condition;  // symbolic: as it was asked, negated if the answer was no
  SourceSite asked;  // who asked: a kernel's line or the user's
  SourceSite user;   // the user's line
};

// A condition that must hold when the program runs.
struct RuntimeAssert {
  SymInt condition;
  std::string message;
  SourceSite asked;
  SourceSite user;
};

class OPWRIGHT_EXPORT ShapeEnv : public Counted<ShapeEnv> {
 public:
  explicit ShapeEnv(ShapeEnvOptions options = {});
  ~ShapeEnv();

  // ---- Symbols ----

  // A size of an input that is `hint` in this run: a plain int by the 0/1 rule, else the symbol
  // that duck-shaping finds, else a new one.
  [[nodiscard]] SymInt make_size(int64_t hint, std::string source);
  // A new backed symbol with a range of its own. ValueError when the hint is outside of it.
  [[nodiscard]] SymInt make_backed(int64_t hint, SymRange range, std::string source);
  // A new unbacked one. ValueError for an empty range.
  [[nodiscard]] SymInt make_unbacked(SymRange range = {0, INT64_MAX});
  // A symbol with everything given; for reading a graph's text. ValueError for a name that exists.
  SymInt declare(const Symbol& symbol);

  [[nodiscard]] std::vector<Symbol> symbols() const;
  // The symbol of that name. KeyError.
  [[nodiscard]] SymInt symbol(std::string_view name) const;
  // The names of the symbols of an expression, each once, in order of their making.
  [[nodiscard]] std::vector<std::string> free_symbols(const SymInt& value) const;

  // ---- Questions ----

  // Whether a condition holds for all values that the facts admit; none: it depends. No guard.
  [[nodiscard]] std::optional<bool> decide(const SymInt& condition) const;
  // The least and the greatest value that the facts admit.
  [[nodiscard]] SymRange range(const SymInt& value) const;
  // The value in this run; none where an unbacked symbol is in it.
  [[nodiscard]] std::optional<int64_t> hint(const SymInt& value) const;
  // With all that was learned since the expression was made (equalities put in, floor divisions of
  // known multiples gone); a plain int where only one value is left.
  [[nodiscard]] SymInt simplify(const SymInt& value) const;

  // ---- What was decided ----

  [[nodiscard]] std::span<const Guard> guards() const noexcept;
  [[nodiscard]] std::span<const RuntimeAssert> runtime_asserts() const noexcept;
  // A fact from outside: no guard. ValueError when it contradicts what is known.
  void learn(const SymInt& condition);
  // The same of a symbol and the expression that replaces it; for reading a graph's text.
  void learn_equal(std::string_view name, const SymInt& value);
  // Adds a guard or an assertion as it is; for reading a graph's text.
  void add_guard(Guard guard);
  void add_runtime_assert(RuntimeAssert assertion);

  // Guards without those that others imply, solved: a symbol's range, an equality that derives one
  // symbol from another ("s1 = 2*s0"), and what is neither.
  struct Solution {
    std::vector<Symbol> symbols;  // with their final ranges and `equals`
    std::vector<Guard> rest;
  };
  // ValueError where guards and demands contradict each other.
  [[nodiscard]] Solution solve() const;

  // ---- What its words ask through their table; `file` is read only where something is recorded
  // ----

  // At least one of the words is a symbol of this environment; the result is owned. ValueError for
  // a symbol of another environment, ZeroDivisionError, OverflowError.
  [[nodiscard]] OpwSymWord apply(OpwSymOp op, OpwSymWord a, OpwSymWord b);
  // RuntimeError where an unbacked symbol leaves the condition open and `if_unknown` says so.
  [[nodiscard]] bool guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file,
                           uint32_t line);
  // ValueError with `message` for a condition that does not hold.
  void check(OpwSymWord condition, const char* message, const char* file, uint32_t line);
  // RuntimeError for a value with an unbacked symbol that facts do not fix.
  [[nodiscard]] int64_t specialise(OpwSymWord word, const char* file, uint32_t line);

  // ---- Text ----

  // Reads "2*s0 + 1", "s0 // 2 == u0", ... as append_text writes it; symbols of this environment.
  // ValueError with the place underlined.
  [[nodiscard]] SymInt parse(std::string_view text) const;

 private:
  struct State;
  // As the facts tell them now.
  [[nodiscard]] std::vector<Symbol> list_symbols() const;
  // Learns what an environment knows that is made of this one's text: facts that are taken in in
  // another order may prove more. Then both show the same symbols.
  void learn_what_is_read() const;
  [[nodiscard]] bool is_own(OpwSymWord word) const noexcept;
  // The word of a plain int or of an expression of this environment. ValueError.
  [[nodiscard]] OpwSymWord own(const SymInt& value) const;

  std::unique_ptr<State> state_;
};

using ShapeEnvPtr = IntrusivePtr<ShapeEnv>;

// The environment of a symbol of the core; null for plain ints and symbols of other owners.
[[nodiscard]] OPWRIGHT_EXPORT ShapeEnv* shape_env_of(const SymInt& value) noexcept;

}  // namespace opwright
