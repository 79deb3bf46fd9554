#include "opwright/run/schedule.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/ir/graph/random_input.h"
#include "opwright/run/liveness.h"
#include "opwright/run/step.h"

namespace opwright {
namespace {}  // namespace

Schedule::Schedule(const Graph& graph)
    : num_random_states(count_random_states(graph)),
      slots(graph),
      sizes(graph, slots),
      arguments(slots, sizes),
      steps(make_steps(graph)),
      outputs(graph, slots, sizes),
      inputs(graph, sizes) {
  sizes.finish();
  is_whole &= sizes.inputs().outer_symbols.empty() && outputs.size() >= num_random_states;
}

std::vector<Step> Schedule::make_steps(const Graph& graph) {
  const Liveness liveness(graph, slots);
  std::vector<Step> made;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    const uint32_t call = size_of(made);
    add_call(*node, call, liveness, made.emplace_back());
  }
  return made;
}

void Schedule::add_call(const Node& node, uint32_t call, const Liveness& liveness, Step& step) {
  step.node = &node;
  step.op = &node.op();
  step.site = node.site();
  step.grad_mode = node.grad_mode();
  step.notes_views = node.op().gives_views() && liveness.is_seen[call];
  step.is_plain = !node.op().writes_arguments() && !step.notes_views;
  step.first_slot = slots.first_result(call);
  step.num_results = size_of(node.results());
  step.results = sizes.results_of(call);
  is_whole &= arguments.add(step);
  add_drops(node, call, liveness, step);
  add_results(node, liveness, step);
}

void Schedule::add_drops(const Node& node, uint32_t call, const Liveness& liveness, Step& step) {
  std::vector<uint32_t> ending;
  for (const NodeArgument& argument : node.args()) {
    argument.visit_values([&](const GraphValue& value) {
      const uint32_t slot = slots.of(value);
      if (slot >= slots.num_inputs() && liveness.last_use[slot] == call) ending.push_back(slot);
    });
  }
  std::ranges::sort(ending);
  const auto repeated = std::ranges::unique(ending);
  ending.erase(repeated.begin(), repeated.end());
  step.drops.begin = size_of(drops);
  drops.insert(drops.end(), ending.begin(), ending.end());
  step.drops.end = size_of(drops);
}

void Schedule::add_results(const Node& node, const Liveness& liveness, Step& step) {
  step.lists.begin = size_of(lists);
  step.leftovers.begin = size_of(leftovers);
  for (uint32_t i = 0; i < step.num_results; ++i) {
    const NodeResult& result = node.results()[i];
    const uint32_t slot = step.first_slot + i;
    const bool is_used = !result.is_list && result.count != 0 && liveness.is_used[slot];
    if (!is_used) leftovers.push_back(slot);
    if (!result.is_list || result.count == 0) continue;
    const uint32_t first = slots.of(node.values()[result.first]);
    lists.push_back({&result, slot, first});
    for (uint32_t j = 0; j < result.count; ++j) {
      if (!liveness.is_used[first + j]) leftovers.push_back(first + j);
    }
  }
  step.lists.end = size_of(lists);
  step.leftovers.end = size_of(leftovers);
}

}  // namespace opwright
