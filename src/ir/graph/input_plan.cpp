#include "opwright/ir/graph/input_plan.h"

#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

bool is_input_number(const ShownNumber& shown) {
  // Operators accept tensors of any strides.
  return shown.part == ShownNumber::Part::Size || shown.part == ShownNumber::Part::Number;
}

}  // namespace

InputPlan::InputPlan(const Graph& graph)
    : scope(graph.shape_env().get()),
      input_changes(graph.input_changes()),
      num_guards(graph.shape_env() ? graph.shape_env()->guards().size() : 0) {
  size_t place = 0;
  for (const GraphValue* input : graph.inputs()) {
    bindings.push_back(scope.bind(*input));
    for (ShownNumber& shown : shown_numbers(input->meta())) {
      if (is_input_number(shown)) expected.push_back({input, place, std::move(shown)});
    }
    ++place;
  }
  if (graph.shape_env()) add_symbols(*graph.shape_env());
}

void InputPlan::add_symbols(const ShapeEnv& env) {
  std::vector<SymInt> values;
  for (const Expected& one : expected) {
    values.push_back(one.shown.expression);
    std::string outer = scope.find_unbound(one.shown.expression);
    if (!outer.empty()) outer_symbols.push_back(std::move(outer));
  }
  std::vector<SymInt> held;
  for (const Guard& guard : env.guards()) {
    if (!scope.find_unbound(guard.condition).empty()) continue;
    guards.push_back(guard);
    held.push_back(guard.condition);
  }
  for (Symbol& symbol : env.symbols()) {
    symbols.push_back(symbol.name);
    if (scope.is_bound(symbol.name)) ranges.push_back(std::move(symbol));
  }
  sizes.emplace(values, symbols);
  conditions.emplace(held, symbols);
}

InputPlanPtr Graph::input_plan() const {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const size_t num_guards = shape_env_ ? shape_env_->guards().size() : 0;
  if (!input_plan_ || input_plan_->input_changes != input_changes_ ||
      input_plan_->num_guards != num_guards) {
    input_plan_ = InputPlanPtr::take(new InputPlan(*this));
  }
  return input_plan_;
}

}  // namespace opwright
