// FusionPlan: which nodes of a graph are fused into nests.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "opwright/compile/fuse/fusion_group.h"
#include "opwright/compile/fuse/point_node.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

struct FusionPlan {
  const FusionTarget* target = nullptr;
  std::unordered_map<const Node*, PointNode> points;
  std::vector<FusionGroup> groups = {};  // of two nodes or more

  // Values of a group that are used outside: by other nodes, or as outputs of the graph.
  [[nodiscard]] std::vector<const FusionGroup::Member*> outputs(const FusionGroup& group) const;
};

// The graph writes only at its end. Groups do not depend on each other in cycles, and none spans a
// node with an effect.
[[nodiscard]] FusionPlan plan_fusion(Graph& graph, const FusionTarget& target);

}  // namespace opwright
