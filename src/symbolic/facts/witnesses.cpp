#include "opwright/symbolic/facts/witnesses.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "opwright/base/hash.h"
#include "opwright/c_api.h"
#include "opwright/error.h"
#include "opwright/symbolic/expression/evaluate.h"
#include "opwright/symbolic/expression/interval.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {
namespace {

constexpr size_t kFirst = 6;
constexpr size_t kMost = 8;

}  // namespace

// Typical values: this run's, the smallest, and near and far ones that differ between symbols.
void Witnesses::add_symbol(const SymRange& range, std::optional<int64_t> hint) {
  if (ranges_.empty()) all_.resize(kFirst);
  const auto place = static_cast<int64_t>(ranges_.size());
  ranges_.push_back(range);
  const int64_t least = std::max(range.least, -kFarthest);
  const int64_t now = std::clamp(hint.value_or(least), -kFarthest, kFarthest);
  const int64_t choices[kFirst] = {hint.value_or(least), least,         now + 1,
                                   2 * now + 3 + place,  least + place, 1009 + 13 * place};
  size_t i = 0;
  for (Values& values : all_) {
    values.push_back(std::clamp(choices[i++ % kFirst], range.least, range.greatest));
  }
}

std::optional<bool> Witnesses::ask(OpwSymWord condition, const Values& values) {
  try {
    const std::optional<int64_t> value = evaluate(condition, values);
    if (!value) return std::nullopt;
    return *value != 0;
  } catch (const Error&) {
    return std::nullopt;
  }
}

Witnesses::Seen Witnesses::ask(OpwSymWord condition) const {
  Seen seen;
  for (const Values& values : all_) {
    const std::optional<bool> answer = ask(condition, values);
    seen.is_true |= answer == true;
    seen.is_false |= answer == false;
  }
  return seen;
}

void Witnesses::learn(OpwSymWord condition) {
  facts_.push_back(condition);
  std::erase_if(all_, [&](const Values& values) { return ask(condition, values) != true; });
}

bool Witnesses::offer(Values values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i] || !contains(ranges_[i], *values[i])) return false;
  }
  for (const OpwSymWord fact : facts_) {
    if (ask(fact, values) != true) return false;
  }
  if (all_.size() == kMost) all_.erase(all_.begin() + 1);  // the first is this run
  all_.push_back(std::move(values));
  return true;
}

int64_t Witnesses::random(int64_t most) {
  state_ = hash_combine(state_, 1);
  return static_cast<int64_t>(state_ % (static_cast<uint64_t>(most) + 1));
}

}  // namespace opwright
