// Solves guards: ranges, derived symbols, and the rest.
#include <cstdint>
#include <optional>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/expression_text.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/shape_env_state.h"
#include "opwright/symint.h"

namespace opwright {

// Ranges and equalities are listed on their own; a guard that follows from them and from the guards
// kept before it is dropped.
ShapeEnv::Solution ShapeEnv::solve() const {
  Solution solution;
  solution.symbols = symbols();
  Facts solved(state_->pool);
  for (const State::Made& made : state_->symbols) {
    solved.add_symbol(*made.expression, std::nullopt);  // for all runs, not this one
  }
  const auto take = [&](OpwSymWord condition) {
    OPWRIGHT_CHECK_VALUE(
        solved.learn(condition), expression_text(condition),
        " contradicts what else was demanded of its symbols: no run satisfies all");
  };
  const Canonical& canonical = state_->reader;
  const auto relate = [&](OpwSymOp op, const Symbol& symbol, OpwSymWord other) {
    take(canonical.apply(op, word_of(*state_->find(symbol.name)), other));
  };
  for (const Symbol& symbol : solution.symbols) {
    if (symbol.equals) relate(kOpwSymEq, symbol, symbol.equals->word());
    if (symbol.range.least >= kOpwSmallestInt) relate(kOpwSymGe, symbol, symbol.range.least);
    if (symbol.range.greatest >= kOpwSmallestInt && symbol.range.greatest != INT64_MAX)
      relate(kOpwSymLe, symbol, symbol.range.greatest);
  }
  for (const Guard& guard : state_->guards) {
    const OpwSymWord condition = guard.condition.word();
    if (solved.decide(condition) == true) continue;
    take(condition);
    solution.rest.push_back(guard);
  }
  return solution;
}

}  // namespace opwright
