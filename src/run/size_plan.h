// SizePlan: the symbolic numbers of a graph, compiled to programs over int64.
//
// Most depend only on the inputs: they are recomputed when a run's sizes differ from those of the
// last one. The others need symbols bound by call results, and are computed before the call that
// uses them.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/run/step.h"
#include "opwright/run/symbol_source.h"
#include "opwright/run/value_slots.h"
#include "opwright/symbolic/shape_env/sym_program.h"

namespace opwright {

// Where a number is computed: with those of the inputs, or late.
struct NumberIndex {
  bool is_late = false;
  uint32_t index = 0;
};

class SizePlan {
 public:
  // What a call's results provide: symbols, and the assertions that become computable.
  struct Results {
    uint32_t step = 0;
    std::vector<SymbolSource> sources;
    std::optional<SymProgram> assertions;
  };
  // The numbers of one call that need results of other calls.
  struct Late {
    SymProgram program;
    uint32_t first = 0;  // index among the late numbers
  };

  SizePlan(const Graph& graph, const ValueSlots& slots);

  // ---- While the plan is built ----

  // The index of an expression that the next call uses.
  [[nodiscard]] NumberIndex add(const SymInt& expression);
  // Ends a call's numbers. Returns their index in late(); kNoIndex: none are late.
  [[nodiscard]] uint32_t finish_call();
  // Call it after the last call.
  void finish();
  // The index in results() of what a call provides; kNoIndex: nothing.
  [[nodiscard]] uint32_t results_of(uint32_t step) const;

  // ---- For runs ----

  [[nodiscard]] const InputPlan& inputs() const noexcept { return *inputs_; }
  [[nodiscard]] size_t num_symbols() const noexcept { return inputs_->symbols.size(); }
  [[nodiscard]] size_t num_early() const noexcept { return expressions_.size(); }
  [[nodiscard]] size_t num_late() const noexcept { return num_late_; }
  [[nodiscard]] size_t most_assertions() const noexcept { return most_assertions_; }
  // Computes the numbers that depend on inputs only; none: no symbols.
  [[nodiscard]] const std::optional<SymProgram>& early() const noexcept { return early_; }
  // Assertions that depend on inputs only.
  [[nodiscard]] const std::optional<SymProgram>& assertions() const noexcept { return assertions_; }
  [[nodiscard]] const Late& late(uint32_t index) const { return late_[index]; }
  [[nodiscard]] const std::vector<Results>& results() const noexcept { return results_; }

 private:
  void add_results(const Graph& graph, const ValueSlots& slots);
  [[nodiscard]] std::optional<SymProgram> take_assertions(const SymbolScope& scope);

  const ShapeEnv* env_;  // null: no symbols
  InputPlanPtr inputs_;
  std::vector<SymInt> expressions_;
  std::unordered_map<OpwSymWord, uint32_t> places_;  // index in expressions_
  std::vector<SymInt> late_expressions_;             // of the call being added
  uint32_t num_late_ = 0;
  size_t most_assertions_ = 0;
  std::vector<bool> is_taken_;  // for each assertion
  std::optional<SymProgram> early_;
  std::optional<SymProgram> assertions_;
  std::vector<Late> late_;
  std::vector<Results> results_;  // in step order
};

}  // namespace opwright
