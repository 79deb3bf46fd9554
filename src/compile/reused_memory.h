// ReusedMemory: which result of a group may lie in the memory of a value that the group reads last.
#pragma once

#include <optional>
#include <vector>

#include "opwright/compile/fusion_plan.h"
#include "opwright/ir/graph.h"
#include "opwright/ir/passes/shared_memory.h"

namespace opwright {

class ReusedMemory {
 public:
  // Of a graph that does not change meanwhile.
  explicit ReusedMemory(Graph& graph);

  struct Choice {
    const FusionGroup::Member* output = nullptr;
    GraphValue* root = nullptr;    // whose memory it is
    GraphValue* memory = nullptr;  // a value that shows it as the output is to lie
  };
  // Values that the run made itself alone are written over, and only by groups without folds, which
  // read a point before they write it.
  [[nodiscard]] std::optional<Choice> choose(
      const FusionGroup& group, const std::vector<const FusionGroup::Member*>& outputs) const;

 private:
  [[nodiscard]] bool ends_with(const GraphValue& value, const FusionGroup& group) const;
  [[nodiscard]] GraphValue* find_shape(const FusionGroup::Member& member,
                                       const FusionGroup::Member& output) const;

  SharedMemory memory_;
  std::vector<std::vector<GraphValue*>> by_group_;  // of shared memory
};

}  // namespace opwright
