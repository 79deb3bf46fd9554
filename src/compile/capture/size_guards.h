// SizeGuards: what a captured graph asked of sizes that are symbols.
//
// The symbols are read from the arguments; ranges, equalities and conditions are numbers and short
// programs over them, so a graph without symbols asks nothing.
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
  // What the environment of the graph knows now: after all passes that may ask. The first
  // `num_arguments` inputs that are arguments are those of a call.
  SizeGuards(const Graph& graph, size_t num_arguments);

  [[nodiscard]] bool is_empty() const noexcept { return sources_.empty(); }
  // Whether something was asked of the sizes since: a backward is compiled when it first runs.
  [[nodiscard]] bool is_outdated() const noexcept {
    return env_ && env_->guards().size() != num_guards_;
  }
  // One value for each argument, in order. One check at a time: sizes that held are kept.
  [[nodiscard]] bool check(std::span<const OpwValue> arguments) const;
  // "s0 != 1 does not hold, asked at model.py:7"; empty: the guards hold.
  [[nodiscard]] std::string find_difference(std::span<const OpwValue> arguments) const;
  // One line for each guard.
  [[nodiscard]] std::string text() const;

 private:
  struct Expected {
    uint32_t argument;
    NumberPlace place;
    uint32_t index;  // in InputPlan::expected
  };
  // The first guard that does not hold, by its place among sizes, conditions and ranges; -1: none.
  [[nodiscard]] int64_t find_failure(std::span<const OpwValue> arguments) const;
  // Whether the sizes are those of the last check that found them right.
  [[nodiscard]] bool are_known(std::span<const OpwValue> arguments) const noexcept;
  [[nodiscard]] std::string describe(size_t guard) const;

  ShapeEnvPtr env_;
  size_t num_guards_ = 0;
  InputPlanPtr plan_;
  std::vector<SymbolSource> sources_;  // slots are places among the arguments
  std::vector<Expected> expected_;
  // Of the plan's guards and ranges, those over symbols that a call shows.
  std::vector<uint32_t> guards_;
  struct Range {
    uint32_t symbol;
    uint32_t index;
  };
  std::vector<Range> ranges_;
  // Of the last check that found them right; empty: none did.
  mutable std::vector<int64_t> known_symbols_;
  mutable std::vector<int64_t> known_sizes_;  // by InputPlan::expected
};

}  // namespace opwright
