#include "opwright/run/size_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_plan.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/run/step.h"
#include "opwright/run/symbol_source.h"
#include "opwright/symbolic/shape_env/shape_env.h"
#include "opwright/symbolic/shape_env/sym_program.h"
#include "opwright/symint.h"

namespace opwright {

SizePlan::SizePlan(const Graph& graph, const ValueSlots& slots)
    : env_(graph.shape_env().get()), inputs_(graph.input_plan()) {
  if (!env_) return;
  is_taken_.resize(env_->runtime_asserts().size());
  assertions_ = take_assertions(inputs_->scope);
  add_results(graph, slots);
}

// The assertions whose symbols have all become bound since the last call.
std::optional<SymProgram> SizePlan::take_assertions(const SymbolScope& scope) {
  std::vector<SymInt> conditions;
  const std::span<const RuntimeAssert> assertions = env_->runtime_asserts();
  for (size_t i = 0; i < assertions.size(); ++i) {
    if (is_taken_[i] || !scope.find_unbound(assertions[i].condition).empty()) continue;
    is_taken_[i] = true;
    conditions.push_back(assertions[i].condition);
  }
  if (conditions.empty()) return std::nullopt;
  most_assertions_ = std::max(most_assertions_, conditions.size());
  return SymProgram(conditions, inputs_->symbols);
}

void SizePlan::add_results(const Graph& graph, const ValueSlots& slots) {
  SymbolScope scope = inputs_->scope;
  uint32_t step = 0;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    Results results;
    results.step = step++;
    for (const GraphValue& value : node->values()) {
      for (const SymbolBinding& binding : scope.bind(value)) {
        results.sources.push_back(source_of(binding, slots.of(value), inputs_->symbols));
      }
    }
    if (results.sources.empty()) continue;
    results.assertions = take_assertions(scope);
    results_.push_back(std::move(results));
  }
}

NumberIndex SizePlan::add(const SymInt& expression) {
  if (!inputs_->scope.find_unbound(expression).empty()) {
    late_expressions_.push_back(expression);
    const auto place = static_cast<uint32_t>(late_expressions_.size() - 1);
    return {.is_late = true, .index = num_late_ + place};
  }
  const auto [found, is_new] =
      places_.try_emplace(expression.word(), static_cast<uint32_t>(expressions_.size()));
  if (is_new) expressions_.push_back(expression);
  return {.is_late = false, .index = found->second};
}

uint32_t SizePlan::finish_call() {
  if (late_expressions_.empty()) return kNoIndex;
  late_.push_back({SymProgram(late_expressions_, inputs_->symbols), num_late_});
  num_late_ += static_cast<uint32_t>(late_expressions_.size());
  late_expressions_.clear();
  return static_cast<uint32_t>(late_.size() - 1);
}

void SizePlan::finish() {
  if (env_) early_.emplace(expressions_, inputs_->symbols);
}

uint32_t SizePlan::results_of(uint32_t step) const {
  const auto found = std::ranges::lower_bound(results_, step, {}, &Results::step);
  if (found == results_.end() || found->step != step) return kNoIndex;
  return static_cast<uint32_t>(found - results_.begin());
}

}  // namespace opwright
