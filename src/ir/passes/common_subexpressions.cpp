#include "opwright/ir/passes/common_subexpressions.h"

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <unordered_map>
#include <vector>

#include "opwright/ir/graph/node_text.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/ir/passes/shared_memory.h"

namespace opwright {
namespace {

class Sharing {
 public:
  explicit Sharing(Graph& graph)
      : graph_(graph),
        memory_(graph),
        symbols_(graph.shape_env().get()),
        writes_(graph.num_value_numbers(), 0) {}

  size_t run();

 private:
  bool can_share(const Node& node);
  bool are_both_returned(const Node& a, const Node& b) const;
  std::string key_of(const Node& node) const;
  void append_key(std::string& key, const NodeArgument& argument) const;

  Graph& graph_;
  SharedMemory memory_;
  SymbolScope symbols_;
  std::vector<uint32_t> writes_;  // count so far, per memory group
};

bool Sharing::can_share(const Node& node) {
  bool binds = false;
  for (const GraphValue& value : node.values()) binds |= !symbols_.bind(value).empty();
  if (binds || !is_repeatable(node)) return false;
  for (const GraphValue& value : node.values()) {
    if (memory_.is_written(value)) return false;
  }
  return true;
}

// The caller may write to one of two returned values, so they must stay distinct.
bool Sharing::are_both_returned(const Node& a, const Node& b) const {
  for (const GraphValue& value : a.values()) {
    if (memory_.is_returned(value) && memory_.is_returned(b.values()[value.index()])) return true;
  }
  return false;
}

// Objects match by identity, other constants by their text; a value's key includes the writes
// before.
void Sharing::append_key(std::string& key, const NodeArgument& argument) const {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      append_constant_text(key, argument.constant().get());
      if (argument.constant().tag() == kOpwObject) {
        append_text(key, reinterpret_cast<uintptr_t>(argument.constant().get().as_object));
      }
      break;
    case NodeArgument::Kind::Value:
      key.append(concatenate("%", argument.value().number(), "@",
                             writes_[memory_.group(argument.value())]));
      break;
    case NodeArgument::Kind::List:
      key.push_back('[');
      for (const NodeArgument& element : argument.elements()) append_key(key, element);
      key.push_back(']');
  }
  key.push_back(',');
}

std::string Sharing::key_of(const Node& node) const {
  std::string key = node.op().name();
  key.append(node.grad_mode() ? "(" : "no_grad(");
  for (const NodeArgument& argument : node.args()) append_key(key, argument);
  return key;
}

size_t Sharing::run() {
  std::unordered_map<std::string, Node*> seen;
  std::vector<Node*> doubles;
  for (Node* node = graph_.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Input) (void)symbols_.bind(node->values()[0]);
    if (node->kind() != NodeKind::Call) continue;
    for (const uint32_t group : memory_.written_groups(*node)) ++writes_[group];
    if (!can_share(*node)) continue;
    const auto [first, is_new] = seen.try_emplace(key_of(*node), node);
    if (is_new || are_both_returned(*first->second, *node)) continue;
    for (GraphValue& value : node->values()) {
      GraphValue& kept = first->second->values()[value.index()];
      graph_.replace_uses(value, kept);
      if (memory_.is_returned(value)) memory_.set_returned(kept);
    }
    doubles.push_back(node);
  }
  for (Node* node : std::views::reverse(doubles)) graph_.erase(*node);
  return doubles.size();
}

}  // namespace

size_t share_common_subexpressions(Graph& graph) { return Sharing(graph).run(); }

}  // namespace opwright
