#include "opwright/ir/passes/shared_memory.h"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "opwright/ir/passes/effects.h"
#include "opwright/schema/alias_info.h"
#include "opwright/schema/schema.h"

namespace opwright {
namespace {

// Whether a result may use the argument's memory.
bool may_share(const AliasInfo& result, const AliasInfo& argument) {
  if (result.mentions(kAliasWildcard)) return true;
  const auto shares = [&](const AliasInfo& one) {
    for (const std::string& set : one.before) {
      if (argument.mentions(set)) return true;
    }
    for (const std::string& set : one.after) {
      if (argument.mentions(set)) return true;
    }
    return false;
  };
  if (shares(result)) return true;
  for (const AliasInfo& element : result.elements) {
    if (may_share(element, argument)) return true;
  }
  return false;
}

}  // namespace

uint32_t SharedMemory::find(uint32_t number) const {
  while (parents_[number] != number) {
    parents_[number] = parents_[parents_[number]];
    number = parents_[number];
  }
  return number;
}

void SharedMemory::join(const GraphValue& a, const GraphValue& b) {
  parents_[find(b.number())] = find(a.number());
}

void SharedMemory::join_results(const Node& node) {
  const Schema& schema = node.op().schema();
  const bool is_opaque = has_sub_graph(node);  // it may return its arguments
  for (size_t i = 0; i < node.results().size(); ++i) {
    const NodeResult& result = node.results()[i];
    for (size_t j = 0; j < node.args().size(); ++j) {
      if (!is_opaque && !may_share(schema.returns[i].alias, schema.arguments[j].alias)) continue;
      node.args()[j].visit_values([&](const GraphValue& argument) {
        for (uint32_t k = 0; k < result.count; ++k) join(argument, node.values()[result.first + k]);
      });
    }
  }
}

template <class Visit>
void SharedMemory::visit_written(const Node& node, const Visit& visit) {
  const Operator& op = node.op();
  const bool writes_all = has_sub_graph(node) && has_effect(node);
  if (!op.writes_arguments() && !writes_all) return;
  for (uint32_t i = 0; i < node.args().size(); ++i) {
    if (!writes_all && !op.writes_argument(i)) continue;
    node.args()[i].visit_values(visit);
  }
}

SharedMemory::SharedMemory(const Graph& graph, Inputs inputs)
    : parents_(graph.num_value_numbers()),
      is_written_(graph.num_value_numbers(), false),
      is_returned_(graph.num_value_numbers(), false) {
  std::iota(parents_.begin(), parents_.end(), 0U);
  const GraphValue* outside = nullptr;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) join_results(*node);
    if (node->kind() != NodeKind::Input || node->role() == InputRole::Constant) continue;
    if (inputs == Inputs::Apart) continue;
    if (outside) join(*outside, node->values()[0]);
    outside = node->values().data();
  }
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() != NodeKind::Call) continue;
    visit_written(*node, [&](const GraphValue& value) { is_written_[group(value)] = true; });
  }
  for (const NodeArgument& output : graph.outputs()) {
    output.visit_values([&](const GraphValue& value) { is_returned_[group(value)] = true; });
  }
}

std::vector<uint32_t> SharedMemory::written_groups(const Node& node) const {
  std::vector<uint32_t> groups;
  visit_written(node, [&](const GraphValue& value) { groups.push_back(group(value)); });
  return groups;
}

}  // namespace opwright
