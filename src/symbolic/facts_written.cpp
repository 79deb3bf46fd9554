// Facts that read the same when their ranges, replacements and conditions are written down and
// learned again.
#include <cstdint>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/canonical.h"
#include "opwright/symbolic/expression.h"
#include "opwright/symbolic/facts.h"
#include "opwright/symbolic/interval.h"
#include "opwright/symbolic/shape_env.h"
#include "opwright/symint.h"

namespace opwright {

// Whether the range got narrower.
bool Facts::learn_range(const Expression& symbol) {
  const OpwSymWord word = word_of(symbol);
  const SymRange before = range(word);
  const SymRange tight = tight_range(word);
  if (is_empty(tight) || tight == before) return false;
  const bool has_least = tight.least != before.least && tight.least >= kOpwSmallestInt;
  if (has_least && !take_in(canonical_.apply(kOpwSymGe, word, tight.least))) return false;
  const bool has_greatest = tight.greatest != before.greatest;
  if (has_greatest && !take_in(canonical_.apply(kOpwSymLe, word, tight.greatest))) return false;
  return range(word) != before;
}

void Facts::learn_ranges() {
  constexpr int kMostRounds = 32;  // bounds may creep towards each other
  if (ranges_learned_at_ == num_learned_) return;
  bool is_new = true;
  for (int round = 0; round < kMostRounds && is_new; ++round) {
    is_new = false;
    for (const Expression* symbol : symbols_) is_new |= learn_range(*symbol);
    if (is_new) ++num_learned_;
  }
  ranges_learned_at_ = num_learned_;
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
  } catch (const Error&) {  // a bound left 64 bits
    put_back(saved);
    return learn(equality);
  }
  ++num_learned_;
  witnesses_.learn(equality);
  return true;
}

}  // namespace opwright
