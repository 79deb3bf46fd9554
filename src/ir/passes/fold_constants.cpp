#include "opwright/ir/passes/fold_constants.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/thread_state.h"
#include "opwright/error.h"
#include "opwright/ir/graph/node_call.h"
#include "opwright/ir/graph/symbol_bindings.h"
#include "opwright/ir/passes/effects.h"
#include "opwright/ir/passes/shared_memory.h"
#include "opwright/schema/constant.h"

namespace opwright {
namespace {

bool holds_symbols(const OpwValue& value) {
  if (value.tag == kOpwSymInt) return is_symbolic(value.as_int);
  if (value.tag != kOpwSymIntList && value.tag != kOpwList) return false;
  for (uint32_t i = 0; i < value.length; ++i) {
    if (holds_symbols(list_element(value, i))) return true;
  }
  return false;
}

class Folding {
 public:
  Folding(Graph& graph, int64_t most_elements)
      : graph_(graph), memory_(graph), most_elements_(most_elements) {
    state_.values.resize(graph.num_value_numbers());
  }

  size_t run();

 private:
  bool is_known(const NodeArgument& argument) const;
  bool can_fold(const Node& node) const;
  bool is_small(const GraphValue& value) const;
  bool compute(const Node& node);
  void put_in(Node& node);

  Graph& graph_;
  SharedMemory memory_;
  int64_t most_elements_;
  RunState state_;  // the known values
};

bool Folding::is_known(const NodeArgument& argument) const {
  switch (argument.kind()) {
    case NodeArgument::Kind::Constant:
      return !holds_symbols(argument.constant().get());
    case NodeArgument::Kind::Value:
      return !state_.values[argument.value().number()].is_none();
    case NodeArgument::Kind::List:
      break;
  }
  return std::ranges::all_of(argument.elements(),
                             [&](const NodeArgument& element) { return is_known(element); });
}

bool Folding::is_small(const GraphValue& value) const {
  const Tensor tensor = value.tensor();
  if (!tensor.is_defined() || shows_symbols(value.meta())) return false;
  return tensor.device() == kCpu && tensor.numel() <= most_elements_;
}

bool Folding::can_fold(const Node& node) const {
  if (!is_repeatable(node) || node.values().empty()) return false;
  for (const NodeResult& result : node.results()) {
    if (result.is_list || result.count == 0) return false;
  }
  return std::ranges::all_of(node.args(), [&](const NodeArgument& a) { return is_known(a); }) &&
         std::ranges::all_of(node.values(), [&](const GraphValue& value) {
           return is_small(value) && !memory_.is_written(value) && !memory_.is_returned(value);
         });
}

// Evaluates eagerly, whatever is active around the pass. A node that fails is kept, and fails at
// run time.
bool Folding::compute(const Node& node) {
  ThreadState eager = thread_state();
  eager.set_current(nullptr);
  eager.set_modes(nullptr);
  eager.set_grad_enabled(false);
  const ThreadStateScope scope(eager);
  try {
    std::vector<Value> results = call_node(state_, node);
    for (size_t i = 0; i < results.size(); ++i) {
      const BorrowedTensor borrowed(results[i].get().as_tensor);
      const Tensor& actual = borrowed;
      const Tensor expected = node.values()[i].tensor();
      if (actual.is_fake() || actual.dtype() != expected.dtype()) return false;
      if (!std::ranges::equal(actual.sizes(), expected.sizes())) return false;
    }
    for (size_t i = 0; i < results.size(); ++i) {
      state_.values[node.values()[i].number()] = std::move(results[i]);
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Replaces values that are still used with inputs of the same name.
void Folding::put_in(Node& node) {
  std::vector<std::pair<GraphValue*, std::string>> inputs;
  for (GraphValue& value : node.values()) {
    if (value.users().empty()) continue;
    const Value& known = state_.values[value.number()];
    GraphValue& input = graph_.add_input(value.name(), value.meta(), InputRole::Constant,
                                         Tensor::borrow(known.get().as_tensor), node.site());
    graph_.replace_uses(value, input);
    inputs.emplace_back(&input, value.name());
  }
  graph_.erase(node);
  for (const auto& [input, name] : inputs) graph_.rename(*input, name);
}

size_t Folding::run() {
  std::vector<Node*> folded;
  for (Node* node = graph_.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Input) {
      const bool is_constant = node->role() == InputRole::Constant && node->bound().is_defined() &&
                               !memory_.is_written(node->values()[0]);
      if (is_constant) state_.values[node->values()[0].number()] = Value(node->bound());
    } else if (node->kind() == NodeKind::Call && can_fold(*node) && compute(*node)) {
      folded.push_back(node);
    }
  }
  for (Node* node : std::views::reverse(folded)) put_in(*node);
  return folded.size();
}

}  // namespace

size_t fold_constants(Graph& graph, int64_t most_elements) {
  return Folding(graph, most_elements).run();
}

}  // namespace opwright
