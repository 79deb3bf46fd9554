// ReusedMemory: decides which result of a group can reuse memory: that of a value whose last reader
// is the group, or of an input that the result is written back to.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "opwright/compile/fuse/fusion_plan.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/ir/passes/shared_memory.h"

namespace opwright {

class ReusedMemory {
 public:
  // The graph must not change meanwhile; inputs that it writes share no memory with others.
  explicit ReusedMemory(Graph& graph);

  struct Choice {
    const FusionGroup::Member* output = nullptr;
    GraphValue* root = nullptr;    // owner of the memory
    GraphValue* memory = nullptr;  // a value that views it in the layout of the output
    Node* write_back = nullptr;    // the copy that becomes unnecessary; null if none
  };
  // Only groups without reductions overwrite their inputs: each point is read before it is written.
  [[nodiscard]] std::optional<Choice> choose(
      const FusionGroup& group, const std::vector<const FusionGroup::Member*>& outputs) const;

 private:
  [[nodiscard]] ptrdiff_t count_reads_of_memory(const FusionGroup& group,
                                                const GraphValue& value) const;
  [[nodiscard]] bool ends_with(const GraphValue& value, const FusionGroup& group) const;
  [[nodiscard]] std::optional<Choice> find_write_back(const FusionGroup& group,
                                                      const FusionGroup::Member& output) const;
  [[nodiscard]] std::optional<Choice> find_dead_value(const FusionGroup& group,
                                                      const FusionGroup::Member& output) const;
  [[nodiscard]] GraphValue* find_shape(const FusionGroup::Member& member,
                                       const FusionGroup::Member& output) const;

  SharedMemory memory_;
  std::vector<std::vector<GraphValue*>> by_group_;  // per group of shared memory
};

}  // namespace opwright
