// FusionGroup: nodes that become one nest, over one domain of points.
//
// The domain has dimensions of its own; each value has a map from its dimensions to them. Folds of
// a group fold the same dimensions of the domain.
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
  // A value that the group computes, or reads from memory; the same one may be read by several
  // maps.
  struct Member {
    GraphValue* value = nullptr;
    DimMap dims;
    friend bool operator==(const Member&, const Member&) = default;
  };

  std::vector<Node*> nodes;  // in the order of the graph
  std::vector<SymInt> sizes;
  std::vector<bool> is_folded;  // of the domain
  bool has_folds = false;
  bool is_costly = false;
  std::vector<Member> computed;
  std::vector<Member> read;

  [[nodiscard]] const Member* find_computed(const GraphValue& value) const;
  // Whether a value with that map differs at every point, or at all that are not folded.
  [[nodiscard]] bool is_of_points(const DimMap& dims) const;
  [[nodiscard]] bool is_of_rows(const DimMap& dims) const;
};

// Of one node; none: its values cannot be laid over one domain.
[[nodiscard]] std::optional<FusionGroup> make_group(Node& node, const PointNode& point);

// One group of two, where `first` gives values to `second` or both read the same; none: there is no
// common domain. Whether other nodes stand between them is the caller's question.
[[nodiscard]] std::optional<FusionGroup> join_groups(const FusionGroup& first,
                                                     const FusionGroup& second);

}  // namespace opwright
