#include "opwright/compile/training/primal_graph.h"

#include <algorithm>
#include <utility>

#include "opwright/compile/lower/node_copier.h"
#include "opwright/error.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/ir/passes/input_write.h"

namespace opwright {
namespace {

// The value that is written to an input at the end of the graph; null if none.
GraphValue* find_written_value(const Graph& graph, const GraphValue& input) {
  GraphValue* found = nullptr;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (!is_copy_write(*node)) continue;
    if (&node->args()[0].value() == &input) found = &node->args()[1].value();
  }
  return found;
}

std::vector<bool> find_needed(const Graph& graph, std::span<GraphValue* const> outputs) {
  std::vector<bool> needed(graph.num_value_numbers(), false);
  std::vector<const GraphValue*> waiting;
  const auto add = [&](const GraphValue& value) {
    if (needed[value.number()]) return;
    needed[value.number()] = true;
    waiting.push_back(&value);
  };
  for (const GraphValue* output : outputs) add(*output);
  while (!waiting.empty()) {
    const Node& node = waiting.back()->node();
    waiting.pop_back();
    for (const NodeArgument& argument : node.args()) argument.visit_values(add);
  }
  return needed;
}

// Inputs that the graph writes: their original values are gone when it runs again.
std::vector<bool> find_written_inputs(const Graph& graph) {
  std::vector<bool> is_written(graph.num_value_numbers(), false);
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    for (uint32_t i = 0; i < node->args().size(); ++i) {
      if (!node->op().writes_argument(i)) continue;
      node->args()[i].visit_values(
          [&](const GraphValue& value) { is_written[value.number()] = true; });
    }
  }
  return is_written;
}

}  // namespace

PrimalGraph make_primal_graph(const JointGraph& joint) {
  const Graph& from = *joint.graph;
  const std::vector<GraphValue*> inputs = from.inputs();
  std::vector<GraphValue*> outputs;
  for (const JointGraph::Tangent& tangent : joint.tangents) {
    GraphValue* value = tangent.is_written_input ? find_written_value(from, *inputs[tangent.of])
                                                 : &from.outputs()[tangent.of].value();
    if (!value) return {.graph = nullptr, .why_not = "it resizes an input", .inputs = {}};
    outputs.push_back(value);
  }
  const std::vector<bool> needed = find_needed(from, outputs);
  const std::vector<bool> is_written = find_written_inputs(from);
  PrimalGraph made{.graph = make_intrusive<Graph>(from.shape_env()), .why_not = {}, .inputs = {}};
  NodeCopier copier(from, *made.graph);
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    const GraphValue& input = *inputs[i];
    const bool is_tangent = std::ranges::any_of(
        joint.tangents, [&](const JointGraph::Tangent& tangent) { return tangent.input == i; });
    if (is_tangent || (!needed[input.number()] && !shows_symbols(input.meta()))) continue;
    if (needed[input.number()] && is_written[input.number()]) {
      return {.graph = nullptr,
              .why_not = concatenate("it writes to its input '", input.name(),
                                     "', whose first value is gone"),
              .inputs = {}};
    }
    copier.copy_input(input);
    made.inputs.push_back(i);
  }
  for (const Node* node = from.first(); node; node = node->next()) {
    const bool is_wanted = node->kind() == NodeKind::Call &&
                           std::ranges::any_of(node->values(), [&](const GraphValue& value) {
                             return needed[value.number()];
                           });
    if (!is_wanted) continue;
    if (has_effect(*node)) {
      return {.graph = nullptr,
              .why_not = concatenate("it calls ", node->op().name(), ", which has side effects"),
              .inputs = {}};
    }
    copier.copy_call(*node);
  }
  std::vector<NodeArgument> returned;
  for (GraphValue* output : outputs) returned.push_back(copier.copy(NodeArgument::of(*output)));
  made.graph->set_outputs(std::move(returned));
  return made;
}

}  // namespace opwright
