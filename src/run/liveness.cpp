#include "opwright/run/liveness.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "opwright/dispatch/slot.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/run/step.h"
#include "opwright/run/value_slots.h"

namespace opwright {
namespace {

// Whether a result may be an argument or a view of one; a composite may return an argument although
// its schema does not say so.
bool passes_arguments_on(const Operator& op) {
  return op.gives_views() || op.writes_arguments() || op.record(Slot::ImplicitComposite) ||
         op.record(Slot::ExplicitComposite);
}

}  // namespace

Liveness::Liveness(const Graph& graph, const ValueSlots& slots)
    : last_use(slots.size(), kNoIndex), is_used(slots.size(), false) {
  std::vector<const Node*> calls;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    const auto call = static_cast<uint32_t>(calls.size());
    calls.push_back(node);
    for (const NodeArgument& argument : node->args()) {
      argument.visit_values([&](const GraphValue& value) {
        last_use[slots.of(value)] = call;
        is_used[slots.of(value)] = true;
      });
    }
  }
  std::vector<bool> value_is_seen(slots.size(), false);
  for (const NodeArgument& output : graph.outputs()) {
    output.visit_values([&](const GraphValue& value) {
      last_use[slots.of(value)] = kNoIndex;
      is_used[slots.of(value)] = true;
      value_is_seen[slots.of(value)] = true;
    });
  }
  is_seen.resize(calls.size());
  for (auto call = static_cast<uint32_t>(calls.size()); call-- > 0;) {
    const std::span<const GraphValue> values = calls[call]->values();
    is_seen[call] = std::ranges::any_of(
        values, [&](const GraphValue& value) { return value_is_seen[slots.of(value)]; });
    if (!is_seen[call] || !passes_arguments_on(calls[call]->op())) continue;
    for (const NodeArgument& argument : calls[call]->args()) {
      argument.visit_values(
          [&](const GraphValue& value) { value_is_seen[slots.of(value)] = true; });
    }
  }
}

}  // namespace opwright
