#include "opwright/ir/passes/effects.h"

#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/schema/constant.h"
#include "opwright/tag.h"

namespace opwright {
namespace {

// Calls `visit(const Graph&)` for every graph in a constant; stops at true.
template <class Visit>
bool any_graph(const OpwValue& value, const Visit& visit) {
  if (is_graph(value)) return visit(*graph_of(value));
  if (value.tag != kOpwList) return false;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (any_graph(list_element(value, i), visit)) return true;
  }
  return false;
}

template <class Visit>
bool any_sub_graph(const Node& node, const Visit& visit) {
  for (const NodeArgument& argument : node.args()) {
    if (any_graph(argument.constant().get(), visit)) return true;
  }
  return false;
}

template <class Test>
bool any_call(const Graph& graph, const Test& test) {
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call && test(*node)) return true;
  }
  return false;
}

}  // namespace

bool has_effect(const Node& node) {
  const Operator& op = node.op();
  const Tags tags = op.tags();
  if (op.writes_arguments() || op.num_results() == 0) return true;
  if (tags.has(Tag::Ordered) || tags.has(Tag::NondeterministicSeeded)) return true;
  return any_sub_graph(node, [](const Graph& graph) { return any_call(graph, has_effect); });
}

bool is_repeatable(const Node& node) {
  if (has_effect(node) || node.op().tags().has(Tag::Nondeterministic)) return false;
  return !any_sub_graph(node, [](const Graph& graph) {
    return any_call(graph, [](const Node& inner) { return !is_repeatable(inner); });
  });
}

bool has_sub_graph(const Node& node) {
  return any_sub_graph(node, [](const Graph& /*graph*/) { return true; });
}

}  // namespace opwright
