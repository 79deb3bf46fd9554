// Guards solved: ranges, derived symbols, and what is neither.
#include <cstdint>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/facts.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symbolic/shape_env_state.h"
#include "opwright/symint.h"

namespace opwright {

// The ranges and equalities stand by themselves; a guard that follows from them and from the guards
// kept before it goes.
ShapeEnv::Solution ShapeEnv::solve() const {
  Solution solution;
  solution.symbols = symbols();
  Facts solved(state_->pool);
  for (const State::Made& made : state_->symbols) solved.add_symbol(*made.expression, made.hint);
  const Canonical& canonical = state_->reader;
  const auto take = [&](OpwSymOp op, const Symbol& symbol, OpwSymWord other) {
    const OpwSymWord itself = word_of(*state_->find(symbol.name));
    OPWRIGHT_ASSERT(solved.learn(canonical.apply(op, itself, other)));
  };
  for (const Symbol& symbol : solution.symbols) {
    if (symbol.equals) take(kOpwSymEq, symbol, symbol.equals->word());
    if (symbol.range.least > kOpwSmallestInt) take(kOpwSymGe, symbol, symbol.range.least);
    if (symbol.range.greatest != INT64_MAX) take(kOpwSymLe, symbol, symbol.range.greatest);
  }
  for (const Guard& guard : state_->guards) {
    const OpwSymWord condition = guard.condition.word();
    if (solved.decide(condition) == true) continue;
    OPWRIGHT_ASSERT(solved.learn(condition));
    solution.rest.push_back(guard);
  }
  return solution;
}

}  // namespace opwright
