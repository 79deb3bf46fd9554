// Values of the symbols that satisfy all facts: a condition that is true for some and false for
// others does not follow from the facts, so no proof needs to be tried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "opwright/c_api.h"
#include "opwright/symbolic/expression/expression.h"
#include "opwright/symbolic/expression/symbol.h"

namespace opwright {

class Witnesses {
 public:
  using Values = std::vector<std::optional<int64_t>>;  // by symbol index
  static constexpr int64_t kFarthest = 1 << 20;  // values from -kFarthest to kFarthest are tried

  // Adds the next symbol. `hint` is its value in this run.
  void add_symbol(const SymRange& range, std::optional<int64_t> hint);

  // The answers that they give for a condition.
  struct Seen {
    bool is_true = false;
    bool is_false = false;
  };
  [[nodiscard]] Seen ask(OpwSymWord condition) const;
  // The value of a condition for these values; nullopt if it has none.
  [[nodiscard]] static std::optional<bool> ask(OpwSymWord condition, const Values& values);

  // Drops those that violate a new fact.
  void learn(OpwSymWord condition);
  [[nodiscard]] size_t size() const noexcept { return all_.size(); }
  // Adds values if they satisfy every fact.
  bool offer(Values values);
  [[nodiscard]] std::span<const Values> all() const noexcept { return all_; }
  // A number from 0 to `most`.
  [[nodiscard]] int64_t random(int64_t most);

 private:
  std::vector<Values> all_;
  std::vector<SymRange> ranges_;
  std::vector<OpwSymWord> facts_;
  uint64_t state_ = 1;
};

}  // namespace opwright
