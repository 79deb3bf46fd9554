// SizeGuards: the guards of a captured graph on symbolic sizes.
//
// The symbols are read from the arguments; ranges, equalities and conditions are numbers and short
// programs over them, so a graph without symbols has nothing to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/run/symbol_source.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/value.h"

namespace opwright {

class SizeGuards {
 public:
  SizeGuards() = default;
  // From what the graph's environment knows now, so after all passes that may add guards. The first
  // `num_arguments` inputs of role argument are those of a call.
  SizeGuards(const Graph& graph, size_t num_arguments);

  [[nodiscard]] bool is_empty() const noexcept { return sources_.empty(); }
  // Whether guards were added since: a backward is compiled when it first runs.
  [[nodiscard]] bool is_outdated() const noexcept {
    return env_ && env_->guards().size() != num_guards_;
  }
  // One value per argument, in order. One check at a time: the last valid sizes are cached.
  [[nodiscard]] bool check(std::span<const OpwValue> arguments) const;
  // "s0 != 1 does not hold, required at model.py:7"; empty if the guards hold.
  [[nodiscard]] std::string find_difference(std::span<const OpwValue> arguments) const;
  // One line per guard.
  [[nodiscard]] std::string text() const;

 private:
  struct Expected {
    uint32_t argument;
    NumberPlace place;
    uint32_t index;  // in InputPlan::expected
  };
  // The index of the first guard that fails, counting sizes, conditions and ranges; -1 if none.
  [[nodiscard]] int64_t find_failure(std::span<const OpwValue> arguments) const;
  // Whether the sizes equal those of the last successful check.
  [[nodiscard]] bool are_known(std::span<const OpwValue> arguments) const noexcept;
  [[nodiscard]] std::string describe(size_t guard) const;

  ShapeEnvPtr env_;
  size_t num_guards_ = 0;
  InputPlanPtr plan_;
  std::vector<SymbolSource> sources_;  // slots are indices of arguments
  std::vector<Expected> expected_;
  // The plan's guards and ranges over symbols that a call determines.
  std::vector<uint32_t> guards_;
  struct Range {
    uint32_t symbol;
    uint32_t index;
  };
  std::vector<Range> ranges_;
  // From the last successful check; empty if there was none.
  mutable std::vector<int64_t> known_symbols_;
  mutable std::vector<int64_t> known_sizes_;  // by InputPlan::expected
};

}  // namespace opwright
