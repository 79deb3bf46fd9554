#include "opwright/run/result_symbols.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/error.h"
#include "opwright/ir/graph/evaluate.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/input_check.h"
#include "opwright/ir/graph/node.h"
#include "opwright/run/frame.h"
#include "opwright/run/schedule.h"
#include "opwright/run/size_plan.h"
#include "opwright/run/symbol_source.h"
#include "opwright/symint.h"

namespace opwright {
namespace {

bool bind_fast(const SizePlan::Results& results, Frame& frame) {
  for (const SymbolSource& source : results.sources) {
    int64_t value = 0;
    if (!read_symbol(source, frame.slots[source.slot], value)) return false;
    frame.symbols[source.symbol] = value;
  }
  if (!results.assertions) return true;
  const std::span held(frame.conditions.data(), results.assertions->num_values());
  try {
    results.assertions->run(std::span<const int64_t>(frame.symbols), held);
  } catch (const Error&) {  // a division by zero, or an overflow
    return false;
  }
  return std::ranges::all_of(held, [](int64_t condition) { return condition != 0; });
}

// The symbols bound before the step.
SymbolValues symbols_before(const Schedule& schedule, uint32_t step, const Frame& frame) {
  const InputPlan& inputs = schedule.sizes.inputs();
  SymbolValues values;
  for (const std::vector<SymbolBinding>& bindings : inputs.bindings) {
    for (const SymbolBinding& binding : bindings) {
      const auto found = std::ranges::find(inputs.symbols, binding.symbol);
      const auto place = static_cast<size_t>(found - inputs.symbols.begin());
      values.insert_or_assign(binding.symbol, SymInt(frame.symbols[place]));
    }
  }
  for (const SizePlan::Results& results : schedule.sizes.results()) {
    if (results.step >= step) break;
    for (const SymbolSource& source : results.sources) {
      values.insert_or_assign(inputs.symbols[source.symbol], SymInt(frame.symbols[source.symbol]));
    }
  }
  return values;
}

// Runs evaluate()'s check, which reports what is wrong.
void bind_slowly(const Graph& graph, const Schedule& schedule, uint32_t step, Frame& frame) {
  SymbolValues values = symbols_before(schedule, step, frame);
  InputCheck check(graph);
  for (uint32_t i = 0; i <= step; ++i) {
    const Node& node = *schedule.steps[i].node;
    for (const GraphValue& value : node.values()) {
      check.bind(value, frame.slots[schedule.slots.of(value)], values);
    }
  }
  check.check_assertions(values);
  const std::vector<std::string>& symbols = schedule.sizes.inputs().symbols;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const auto found = values.find(symbols[i]);
    if (found != values.end()) frame.symbols[i] = found->second.specialise();
  }
}

}  // namespace

void bind_result_symbols(const Graph& graph, const Schedule& schedule,
                         const SizePlan::Results& results, Frame& frame) {
  if (!bind_fast(results, frame)) bind_slowly(graph, schedule, results.step, frame);
}

}  // namespace opwright
