#include "opwright/run/value_slots.h"

#include <cstdint>

#include "opwright/ir/graph/graph.h"
#include "opwright/ir/graph/node.h"
#include "opwright/run/step.h"

namespace opwright {

ValueSlots::ValueSlots(const Graph& graph) : by_number_(graph.num_value_numbers(), kNoIndex) {
  for (const GraphValue* input : graph.inputs()) by_number_[input->number()] = size_++;
  num_inputs_ = size_;
  for (const Node* node = graph.first(); node; node = node->next()) {
    if (node->kind() == NodeKind::Call) add_call(*node);
  }
}

void ValueSlots::add_call(const Node& node) {
  first_results_.push_back(size_);
  const uint32_t first = size_;
  size_ += static_cast<uint32_t>(node.results().size());
  for (uint32_t i = 0; i < node.results().size(); ++i) {
    const NodeResult& result = node.results()[i];
    for (uint32_t j = 0; j < result.count; ++j) {
      const GraphValue& value = node.values()[result.first + j];
      by_number_[value.number()] = result.is_list ? size_++ : first + i;
    }
  }
}

}  // namespace opwright
