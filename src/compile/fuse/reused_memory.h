// ReusedMemory: which result of a group may lie in memory that is there: that of a value that the
// group reads last, or of an input that the result is written back to.
#pragma once

#include <optional>
#include <vector>

#include "opwright/compile/fuse/fusion_plan.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/shared_memory.h"

namespace opwright {

class ReusedMemory {
 public:
  // Of a graph that does not change meanwhile; inputs that it writes share no memory with others.
  explicit ReusedMemory(Graph& graph);

  struct Choice {
    const FusionGroup::Member* output = nullptr;
    GraphValue* root = nullptr;    // whose memory it is
    GraphValue* memory = nullptr;  // a value that shows it as the output is to lie
    Node* write_back = nullptr;    // the copy that is no longer needed; null: none
  };
  // Only groups without folds write over what they read: a point is read before it is written.
  [[nodiscard]] std::optional<Choice> choose(
      const FusionGroup& group, const std::vector<const FusionGroup::Member*>& outputs) const;

 private:
  [[nodiscard]] bool ends_with(const GraphValue& value, const FusionGroup& group) const;
  [[nodiscard]] std::optional<Choice> find_write_back(const FusionGroup& group,
                                                      const FusionGroup::Member& output) const;
  [[nodiscard]] std::optional<Choice> find_dead_value(const FusionGroup& group,
                                                      const FusionGroup::Member& output) const;
  [[nodiscard]] GraphValue* find_shape(const FusionGroup::Member& member,
                                       const FusionGroup::Member& output) const;

  SharedMemory memory_;
  std::vector<std::vector<GraphValue*>> by_group_;  // of shared memory
};

}  // namespace opwright
