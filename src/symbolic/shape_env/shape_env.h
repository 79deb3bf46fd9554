// ShapeEnv: the owner of symbolic ints, for the duration of one trace and of the resulting graph.
//
// A symbol is *backed* when this run has a value for it (a hint): queries are decided by the hint
// and recorded as guards. It is *unbacked* when its value is known only at run time: queries that
// its range and the facts do not decide are an error, or become a run-time assertion if code
// requires a condition instead of querying it. Expressions are kept in one canonical form, so two
// SymInts of one environment are equal expressions exactly if their words are equal.
//
// Used by one thread at a time; reference counts may be changed from any thread.
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

// A condition that holds in this run because a query was decided that way.
struct Guard {
  SymInt condition;  // symbolic: as queried, negated if the answer was no
  SourceSite asked;  // the line of the query: a kernel's or the user's
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
  // found by duck-shaping, else a new one.
  [[nodiscard]] SymInt make_size(int64_t hint, std::string source);
  // A new backed symbol with its own range. Throws ValueError if the hint is outside the range.
  [[nodiscard]] SymInt make_backed(int64_t hint, SymRange range, std::string source);
  // A new unbacked one. Throws ValueError for an empty range.
  [[nodiscard]] SymInt make_unbacked(SymRange range = {0, INT64_MAX});
  // A fully specified symbol; for parsing a graph's text. Throws ValueError for a name that exists.
  SymInt declare(const Symbol& symbol);

  [[nodiscard]] std::vector<Symbol> symbols() const;
  // The symbol of that name. Throws KeyError.
  [[nodiscard]] SymInt symbol(std::string_view name) const;
  // The names of the symbols in an expression, each once, in order of creation.
  [[nodiscard]] std::vector<std::string> free_symbols(const SymInt& value) const;

  // ---- Queries ----

  // Whether a condition holds for all values that the facts allow; nullopt: it depends. No guard.
  [[nodiscard]] std::optional<bool> decide(const SymInt& condition) const;
  // The smallest and the largest value that the facts allow.
  [[nodiscard]] SymRange range(const SymInt& value) const;
  // The value in this run; nullopt if it contains an unbacked symbol.
  [[nodiscard]] std::optional<int64_t> hint(const SymInt& value) const;
  // Applies everything learned since the expression was created (substitutes equalities, removes
  // floor divisions of known multiples); a plain int if only one value is left.
  [[nodiscard]] SymInt simplify(const SymInt& value) const;

  // ---- Decisions ----

  [[nodiscard]] std::span<const Guard> guards() const noexcept;
  [[nodiscard]] std::span<const RuntimeAssert> runtime_asserts() const noexcept;
  // Adds a fact from outside: no guard. Throws ValueError if it contradicts what is known.
  void learn(const SymInt& condition);
  // The same for a symbol and the expression that replaces it; for parsing a graph's text.
  void learn_equal(std::string_view name, const SymInt& value);
  // Adds a guard or an assertion unchanged; for parsing a graph's text.
  void add_guard(Guard guard);
  void add_runtime_assert(RuntimeAssert assertion);

  // The guards without those that others imply, solved: a symbol's range, an equality that derives
  // one symbol from another ("s1 = 2*s0"), and the rest.
  struct Solution {
    std::vector<Symbol> symbols;  // with their final ranges and `equals`
    std::vector<Guard> rest;
  };
  // Throws ValueError if guards and requirements contradict each other.
  [[nodiscard]] Solution solve() const;

  // ---- Called through the table of its words; `file` is read only if something is recorded ----

  // At least one of the words is a symbol of this environment; the result is owned. Throws
  // ValueError for a symbol of another environment, ZeroDivisionError, OverflowError.
  [[nodiscard]] OpwSymWord apply(OpwSymOp op, OpwSymWord a, OpwSymWord b);
  // Throws RuntimeError if an unbacked symbol leaves the condition undecided and `if_unknown` says
  // so.
  [[nodiscard]] bool guard(OpwSymWord condition, OpwIfUnknown if_unknown, const char* file,
                           uint32_t line);
  // Throws ValueError with `message` for a condition that does not hold.
  void check(OpwSymWord condition, const char* message, const char* file, uint32_t line);
  // Throws RuntimeError for a value with an unbacked symbol that facts do not fix.
  [[nodiscard]] int64_t specialise(OpwSymWord word, const char* file, uint32_t line);

  // ---- Text ----

  // Parses "2*s0 + 1", "s0 // 2 == u0", ... as append_text writes it, with symbols of this
  // environment. Throws ValueError with the position underlined.
  [[nodiscard]] SymInt parse(std::string_view text) const;

 private:
  struct State;
  // According to the current facts.
  [[nodiscard]] std::vector<Symbol> list_symbols() const;
  // Learns what an environment parsed from this one's text knows: facts learned in another order
  // may prove more. Then both show the same symbols.
  void learn_what_is_read() const;
  [[nodiscard]] bool is_own(OpwSymWord word) const noexcept;
  // The word of a plain int or of an expression of this environment. Throws ValueError.
  [[nodiscard]] OpwSymWord own(const SymInt& value) const;

  std::unique_ptr<State> state_;
};

using ShapeEnvPtr = IntrusivePtr<ShapeEnv>;

// The environment of a symbol of the core; null for plain ints and symbols of other owners.
[[nodiscard]] OPWRIGHT_EXPORT ShapeEnv* shape_env_of(const SymInt& value) noexcept;

}  // namespace opwright
