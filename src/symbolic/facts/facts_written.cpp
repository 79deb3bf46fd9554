// Facts that stay the same when their ranges, replacements and conditions are written down and
// learned again.

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/canonical.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symint.h"

namespace opwright {

bool Facts::learn_range(const Expression& symbol, SymRange values) {
  const OpwSymWord word = word_of(symbol);
  const SymRange before = range(word);
  const SymRange now = intersect(before, values);
  if (is_empty(now) || now == before) return false;
  const bool has_least = now.least != before.least && now.least >= kOpwSmallestInt;
  if (has_least && !take_in(canonical_.apply(kOpwSymGe, word, now.least))) return false;
  const bool has_greatest = now.greatest != before.greatest;
  if (has_greatest && !take_in(canonical_.apply(kOpwSymLe, word, now.greatest))) return false;
  ++num_learned_;
  return range(word) != before;
}

void Facts::learn_ranges() {
  constexpr int kMostRounds = 32;  // bounds may converge slowly
  bool is_new = true;
  for (int round = 0; round < kMostRounds && is_new; ++round) {
    is_new = false;
    for (const Expression* symbol : symbols_) {
      is_new |= learn_range(*symbol, tight_range(word_of(*symbol)));
    }
  }
}

bool Facts::learn_replacement(const Expression& symbol, OpwSymWord value) {
  const OpwSymWord equality = canonical_.apply(kOpwSymEq, word_of(symbol), value);
  const OpwSymWord by = rewrite(value);
  const bool is_free = rewrite(word_of(symbol)) == word_of(symbol);
  if (!is_free || !is_symbolic(by) || mentions(by, symbol)) return learn(equality);
  const Saved saved = save();
  try {
    if (!replace(symbol, symbol, by) || !settle() || !admits_this_run()) {
      put_back(saved);
      return false;
    }
  } catch (const Error&) {  // a bound exceeded 64 bits
    put_back(saved);
    return learn(equality);
  }
  ++num_learned_;
  witnesses_.learn(equality);
  return true;
}

}  // namespace opwright
