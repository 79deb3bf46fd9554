// Graph::copy.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/graph_object.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/schema/constant.h"

namespace opwright {
namespace {

// Copies arguments, replacing values by those of the new graph.
class ArgumentCopier {
 public:
  explicit ArgumentCopier(uint32_t num_values) : values_(num_values, nullptr) {}

  void set(const GraphValue& from, GraphValue& to) { values_[from.number()] = &to; }

  [[nodiscard]] NodeArgument copy(const NodeArgument& argument) const {
    switch (argument.kind()) {
      case NodeArgument::Kind::Value:
        return NodeArgument::of(*values_[argument.value().number()]);
      case NodeArgument::Kind::List:
        return NodeArgument::list(copy(argument.elements()));
      case NodeArgument::Kind::Constant:
        break;
    }
    const Value& constant = argument.constant();
    if (!is_graph(constant.get())) return argument;
    return NodeArgument::constant(graph_value(graph_of(constant.get())->copy()));
  }
  [[nodiscard]] std::vector<NodeArgument> copy(std::span<const NodeArgument> arguments) const {
    std::vector<NodeArgument> copies;
    copies.reserve(arguments.size());
    for (const NodeArgument& argument : arguments) copies.push_back(copy(argument));
    return copies;
  }

 private:
  std::vector<GraphValue*> values_;  // indexed by the old value's number
};

}  // namespace

std::vector<Value> results_of(const Node& node) {
  std::vector<Value> results;
  for (const NodeResult& result : node.results()) {
    if (!result.is_list) {
      results.push_back(result.count == 0 ? Value() : node.values()[result.first].meta());
      continue;
    }
    std::vector<Value> elements;
    for (uint32_t i = 0; i < result.count; ++i) {
      elements.push_back(node.values()[result.first + i].meta());
    }
    results.push_back(elements.empty() ? pack_list(kOpwTensorList, elements)
                                       : pack_list(kOpwList, elements));
  }
  return results;
}

IntrusivePtr<Graph> Graph::copy() const {
  auto graph = make_intrusive<Graph>(shape_env_);
  ArgumentCopier copier(num_value_numbers_);
  for (const Node* node = first_; node; node = node->next_) {
    switch (node->kind_) {
      case NodeKind::Input: {
        const GraphValue& old = node->values_[0];
        copier.set(old,
                   graph->add_input(old.name_, old.meta_, node->role_, node->bound_, node->site_));
        break;
      }
      case NodeKind::Call: {
        std::vector<std::string> names;
        for (const GraphValue& value : node->values_) names.push_back(value.name_);
        Node& made = graph->insert_call({.op = node->op_,
                                         .args = copier.copy(node->args_),
                                         .results = results_of(*node),
                                         .site = node->site_,
                                         .module_path = node->module_path_,
                                         .grad_mode = node->grad_mode_,
                                         .names = std::move(names)});
        for (const GraphValue& value : node->values_) {
          copier.set(value, made.values_[value.index_]);
        }
        break;
      }
      case NodeKind::Output:
        graph->set_outputs(copier.copy(node->args_));
    }
  }
  return graph;
}

}  // namespace opwright
