// Graph::copy.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "opwright/base/intrusive_ptr.h"
#include "opwright/ir/graph/argument_copy.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/infer.h"
#include "opwright/schema/constant.h"

namespace opwright {
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
  std::vector<GraphValue*> copies(num_value_numbers_, nullptr);  // by the number of the original
  const auto find = [&](const GraphValue& value) -> GraphValue& { return *copies[value.number()]; };
  for (const Node* node = first_; node; node = node->next_) {
    switch (node->kind_) {
      case NodeKind::Input: {
        const GraphValue& old = node->values_[0];
        copies[old.number()] =
            &graph->add_input(old.name_, old.meta_, node->role_, node->bound_, node->site_);
        break;
      }
      case NodeKind::Call: {
        std::vector<std::string> names;
        for (const GraphValue& value : node->values_) names.push_back(value.name_);
        Node& made = graph->insert_call({.op = node->op_,
                                         .args = copy_arguments(node->args_, find),
                                         .results = results_of(*node),
                                         .site = node->site_,
                                         .module_path = node->module_path_,
                                         .grad_mode = node->grad_mode_,
                                         .names = std::move(names)});
        for (const GraphValue& value : node->values_) {
          copies[value.number()] = &made.values_[value.index_];
        }
        break;
      }
      case NodeKind::Output:
        graph->set_outputs(copy_arguments(node->args_, find));
    }
  }
  return graph;
}

}  // namespace opwright
