// Reads a ShapeEnv's text back: its symbols, then its guards and assertions, in order.
#include <cstddef>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/shape_env_state.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

constexpr int kMostReadingRounds = 8;

// The expression of one environment in another that has its symbols.
SymInt read_in(const ShapeEnv& env, const SymInt& expression) {
  return expression.is_symbolic() ? env.parse(concatenate(expression)) : expression;
}

// Throws ValueError if guards and requirements contradict each other.
ShapeEnvPtr read_back(const ShapeEnv& env, const std::vector<Symbol>& symbols) {
  auto again = make_intrusive<ShapeEnv>();
  for (Symbol symbol : symbols) {
    symbol.equals.reset();
    again->declare(symbol);
  }
  for (const Symbol& symbol : symbols) {
    if (symbol.equals) again->learn_equal(symbol.name, read_in(*again, *symbol.equals));
  }
  for (const Guard& guard : env.guards()) again->learn(read_in(*again, guard.condition));
  for (const RuntimeAssert& assertion : env.runtime_asserts()) {
    again->learn(read_in(*again, assertion.condition));
  }
  return again;
}

}  // namespace

void ShapeEnv::learn_what_is_read() const try {
  Facts& facts = state_->facts;
  for (int round = 0; round < kMostReadingRounds && state_->read_at != facts.num_learned();
       ++round) {
    const std::vector<Symbol> symbols = list_symbols();
    state_->read_at = facts.num_learned();
    const std::vector<Symbol> again = read_back(*this, symbols)->list_symbols();
    for (size_t i = 0; i < symbols.size(); ++i) {
      const Expression& symbol = *state_->symbols[i].expression;
      facts.learn_range(symbol, again[i].range);
      if (!again[i].equals || symbols[i].equals) continue;
      const SymInt value = read_in(*this, *again[i].equals);
      if (!facts.learn_replacement(symbol, value.word())) return;
    }
  }
} catch (const Error&) {  // a contradiction raises an error when it is read
}

}  // namespace opwright
