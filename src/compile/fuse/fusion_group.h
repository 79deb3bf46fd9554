// FusionGroup: nodes that become one nest, over one domain of points.
//
// The domain has its own dimensions; each value has a map from its dimensions to them. All
// reductions of a group reduce the same dimensions of the domain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "opwright/compile/fuse/index_view.h"
#include "opwright/compile/fuse/point_node.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/symint.h"

namespace opwright {

struct FusionGroup {
  // A value that the group computes or reads from memory; it may be read through several maps.
  struct Member {
    GraphValue* value = nullptr;
    DimMap dims;
    friend bool operator==(const Member&, const Member&) = default;
  };

  std::vector<Node*> nodes;  // in graph order
  std::vector<SymInt> sizes;
  std::vector<bool> is_folded;  // of the domain
  bool has_folds = false;
  bool is_costly = false;
  std::vector<Member> computed;
  std::vector<Member> read;

  [[nodiscard]] const Member* find_computed(const GraphValue& value) const;
  // Whether a value with that map differs at every point, or at every point that is not reduced.
  [[nodiscard]] bool is_of_points(const DimMap& dims) const;
  [[nodiscard]] bool is_of_rows(const DimMap& dims) const;
};

// The group of one node; nullopt if its values do not fit one domain.
[[nodiscard]] std::optional<FusionGroup> make_group(Node& node, const PointNode& point);

// Joins two groups if `first` passes values to `second` or both read the same; nullopt if there is
// no common domain. The caller must check for nodes between them.
[[nodiscard]] std::optional<FusionGroup> join_groups(const FusionGroup& first,
                                                     const FusionGroup& second);

}  // namespace opwright
