#include "opwright/ir/passes/dead_code.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/schema/constant.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {
namespace {

// The symbols that the remaining graph needs.
class WantedSymbols {
 public:
  explicit WantedSymbols(const Graph& graph) : env_(graph.shape_env().get()) {
    if (!env_) return;
    SymbolScope scope(env_);
    for (Node* node = graph.first(); node; node = node->next()) {
      for (const GraphValue& value : node->values()) {
        for (SymbolBinding& binding : scope.bind(value)) {
          if (node->kind() == NodeKind::Call) binds_[node].push_back(std::move(binding.symbol));
        }
      }
    }
    for (const RuntimeAssert& assertion : env_->runtime_asserts()) want(assertion.condition);
  }

  void want(const Node& node) {
    if (!env_) return;
    for (const NodeArgument& argument : node.args()) want(argument);
    for (const GraphValue& value : node.values()) {
      if (!shows_symbols(value.meta())) continue;
      for (const ShownNumber& shown : shown_numbers(value.meta())) want(shown.expression);
    }
  }
  [[nodiscard]] bool are_bound_by(const Node& node) const {
    const auto found = binds_.find(&node);
    if (found == binds_.end()) return false;
    for (const std::string& symbol : found->second) {
      if (wanted_.contains(symbol)) return true;
    }
    return false;
  }

 private:
  void want(const SymInt& expression) {
    if (!expression.is_symbolic()) return;
    for (std::string& symbol : env_->free_symbols(expression)) wanted_.insert(std::move(symbol));
  }
  void want(const NodeArgument& argument) {
    want(argument.constant().get());
    for (const NodeArgument& element : argument.elements()) want(element);
  }
  void want(const OpwValue& value) {
    if (value.tag == kOpwSymInt) return want(SymInt::borrow(value.as_int));
    if (is_graph(value)) {
      const GraphPtr graph = graph_of(value);
      for (const Node* node = graph->first(); node; node = node->next()) want(*node);
      return;
    }
    if (value.tag != kOpwSymIntList && value.tag != kOpwList) return;
    for (uint32_t i = 0; i < value.length; ++i) want(list_element(value, i));
  }

  const ShapeEnv* env_;
  std::unordered_set<std::string> wanted_;
  std::unordered_map<const Node*, std::vector<std::string>> binds_;
};

bool is_used(const Node& node) {
  for (const GraphValue& value : node.values()) {
    if (!value.users().empty()) return true;
  }
  return false;
}

}  // namespace

size_t remove_dead_code(Graph& graph) {
  WantedSymbols symbols(graph);
  size_t removed = 0;
  Node* node = graph.output();
  if (!node) return 0;
  symbols.want(*node);
  for (node = node->previous(); node && node->kind() == NodeKind::Call;) {
    Node* before = node->previous();
    if (has_effect(*node) || is_used(*node) || symbols.are_bound_by(*node)) {
      symbols.want(*node);
    } else {
      graph.erase(*node);
      ++removed;
    }
    node = before;
  }
  return removed;
}

}  // namespace opwright
