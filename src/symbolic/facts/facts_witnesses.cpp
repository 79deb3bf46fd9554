// Searches for values that satisfy all facts, near known ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/evaluate.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/polynomial.h"
#include "opwright/symbolic/expression/symbol.h"
#include "opwright/symbolic/facts/facts.h"
#include "opwright/symbolic/facts/witnesses.h"

namespace opwright {
namespace {

constexpr int kMostWitnessTries = 6;
constexpr int64_t kSpread = 40;
constexpr size_t kMostSymbols = 4;
constexpr size_t kMostStarts = 2;

}  // namespace

// The values of replaced symbols follow from the others.
bool Facts::offer(Witnesses::Values values) {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    const Known& entry = known(*symbols_[i]);
    if (!entry.replaced || entry.modulus != 1) continue;
    try {
      values[i] = evaluate(rewrite(word_of(*symbols_[i])), values);
    } catch (const Error&) {
      return false;
    }
  }
  return witnesses_.offer(std::move(values));
}

// The nearest value below that has the symbol's residue.
int64_t Facts::fit(const Expression& symbol, int64_t value) const {
  const Known& entry = known(symbol);
  return value - floor_remainder(value - entry.residue, entry.modulus);
}

// Changes one symbol of the known values, else chooses all at random.
void Facts::find_witnesses() {
  for (int tries = 0; tries < kMostWitnessTries && witnesses_.size() < kWantedWitnesses; ++tries) {
    Witnesses::Values values =
        witnesses_.size() > 0 ? witnesses_.all()[0] : Witnesses::Values(symbols_.size());
    const auto changed =
        static_cast<size_t>(witnesses_.random(static_cast<int64_t>(symbols_.size()) - 1));
    for (size_t i = 0; i < symbols_.size(); ++i) {
      if (values[i] && i != changed) continue;
      const SymRange allowed = range(word_of(*symbols_[i]));
      const int64_t least = std::max(allowed.least, values[i].value_or(0) - kSpread);
      const int64_t most = std::min(allowed.greatest, std::max(least, int64_t{0}) + kSpread);
      if (least <= most) values[i] = fit(*symbols_[i], least + witnesses_.random(most - least));
    }
    offer(std::move(values));
  }
}

bool Facts::has_other_witness(OpwSymWord condition, bool seen) {
  std::vector<const Expression*> symbols = symbols_in(condition);
  if (symbols.size() > kMostSymbols) symbols.resize(kMostSymbols);
  for (size_t start = 0; start < std::min(witnesses_.size(), kMostStarts); ++start) {
    Witnesses::Values values = witnesses_.all()[start];
    for (const Expression* symbol : symbols) {
      const std::optional<int64_t> before = values[symbol->symbol];
      const SymRange allowed = range(word_of(*symbol));
      const int64_t least = std::max(allowed.least, -Witnesses::kFarthest);
      const int64_t most = std::min(allowed.greatest, Witnesses::kFarthest);
      const int64_t step = known(*symbol).modulus;
      for (const int64_t choice :
           {least, least + step, before.value_or(0) - step, before.value_or(0) + step, most}) {
        values[symbol->symbol] = fit(*symbol, choice);
        if (Witnesses::ask(condition, values) == !seen && offer(values)) return true;
      }
      values[symbol->symbol] = before;
    }
  }
  return false;
}

}  // namespace opwright
