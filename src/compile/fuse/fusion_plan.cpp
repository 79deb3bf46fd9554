#include "opwright/compile/fuse/fusion_plan.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "opwright/compile/fuse/size_estimate.h"
#include "opwright/ir/passes/effects.h"

namespace opwright {
namespace {

constexpr size_t kMostFusedNodes = 96;
constexpr size_t kMostMembers = 40;
constexpr int64_t kLongRow = 1 << 17;
constexpr uint32_t kNoGroup = std::numeric_limits<uint32_t>::max();

bool is_in(const FusionGroup& group, const Node* node) {
  return std::ranges::find(group.nodes, node) != group.nodes.end();
}

// Whether the value is used outside the group, other than by views for its nodes.
bool is_needed_outside(const GraphValue& value, const FusionGroup& group) {
  for (Node* user : value.users()) {
    if (is_in(group, user)) continue;
    const bool is_view = user->kind() == NodeKind::Call && user->op().gives_views() &&
                         user->values().size() == 1 &&
                         look_through(user->values()[0]).root != &user->values()[0];
    if (!is_view || is_needed_outside(user->values()[0], group)) return true;
  }
  return false;
}

class Grouper {
 public:
  Grouper(Graph& graph, const FusionTarget& target)
      : target_(target), env_(graph.shape_env().get()) {
    uint32_t era = 0;
    for (Node* node = graph.first(); node; node = node->next()) {
      places_.emplace(node, static_cast<uint32_t>(nodes_.size()));
      const bool is_barrier = node->kind() == NodeKind::Call && has_effect(*node);
      if (is_barrier) ++era;
      nodes_.push_back({.node = node, .era = era});
      if (is_barrier) ++era;
    }
  }

  FusionPlan run() {
    for (Entry& entry : nodes_) {
      if (std::optional<PointNode> point = describe_point(*entry.node, target_))
        add(entry, std::move(*point));
    }
    join_siblings();
    FusionPlan plan{.target = &target_, .points = std::move(points_)};
    for (FusionGroup& group : groups_) {
      if (is_worth_it(group, plan)) plan.groups.push_back(std::move(group));
    }
    return plan;
  }

 private:
  struct Entry {
    Node* node;
    uint32_t era;
    uint32_t group = kNoGroup;
  };

  Entry& entry(const Node* node) { return nodes_[places_.at(node)]; }

  static bool is_worth_it(const FusionGroup& group, const FusionPlan& plan) {
    return group.nodes.size() >= 2 && std::ranges::any_of(group.nodes, [&](const Node* node) {
             return !plan.points.at(node).is_trivial;
           });
  }

  void add(Entry& entry, PointNode point) {
    std::optional<FusionGroup> group = make_group(*entry.node, point);
    if (!group || !can_store(*group) || is_long_single_row(*group)) return;
    points_.emplace(entry.node, std::move(point));
    entry.group = static_cast<uint32_t>(groups_.size());
    groups_.push_back(std::move(*group));
    // The latest producer first: it is the most likely to be joinable.
    std::vector<uint32_t> producers;
    for (const FusionGroup::Member& member : groups_[entry.group].read) {
      const uint32_t from = this->entry(&member.value->node()).group;
      if (from != kNoGroup && std::ranges::find(producers, from) == producers.end())
        producers.push_back(from);
    }
    std::ranges::sort(producers, std::greater<>());
    for (const uint32_t from : producers) try_join(from, entry.group);
  }

  // A nest runs a row on one thread, whereas the operator itself splits a long one.
  bool is_long_single_row(const FusionGroup& group) const {
    if (!group.has_folds || std::ranges::count(group.is_folded, false) != 0) return false;
    int64_t points = 1;
    for (const SymInt& size : group.sizes) points *= estimate_size(env_, size);
    return points > kLongRow;
  }

  // Joins groups that read the same value over the same domain and are independent.
  void join_siblings() {
    std::unordered_map<const GraphValue*, std::vector<uint32_t>> readers;
    for (uint32_t second = 0; second < groups_.size(); ++second) {
      std::vector<uint32_t> candidates;
      for (const FusionGroup::Member& member : groups_[second].read) {
        std::vector<uint32_t>& found = readers[member.value];
        candidates.insert(candidates.end(), found.begin(), found.end());
        found.push_back(second);
      }
      for (const uint32_t first : candidates) {
        if (first == second || groups_[first].nodes.empty() || groups_[second].nodes.empty())
          continue;
        if (share_reads(groups_[first], groups_[second]) && !depends(first, second))
          try_join(first, second);
      }
    }
  }
  static bool share_reads(const FusionGroup& first, const FusionGroup& second) {
    return std::ranges::any_of(second.read, [&](const FusionGroup::Member& member) {
      return second.is_of_points(member.dims) &&
             std::ranges::any_of(first.read, [&](const FusionGroup::Member& other) {
               return other.value == member.value && first.is_of_points(other.dims);
             });
    });
  }

  void try_join(uint32_t first, uint32_t second) {
    const FusionGroup& giving = groups_[first];
    const FusionGroup& taking = groups_[second];
    if (giving.nodes.size() + taking.nodes.size() > kMostFusedNodes ||
        giving.read.size() + taking.read.size() > kMostMembers ||
        entry(giving.nodes[0]).era != entry(taking.nodes[0]).era)
      return;
    std::optional<FusionGroup> joined = join_groups(giving, taking);
    if (!joined || has_path_around(first, second)) return;
    std::ranges::sort(joined->nodes, {}, [&](const Node* node) { return places_.at(node); });
    if (!can_store(*joined)) return;
    for (const Node* node : giving.nodes) entry(node).group = second;
    groups_[second] = std::move(*joined);
    groups_[first] = {};
  }

  // Values used outside must exist at every point, or at every row.
  static bool can_store(const FusionGroup& group) {
    return std::ranges::all_of(group.computed, [&](const FusionGroup::Member& member) {
      return group.is_of_points(member.dims) || group.is_of_rows(member.dims) ||
             !is_needed_outside(*member.value, group);
    });
  }

  // ---- Paths between groups ----

  template <class Visit>
  void visit_sources(uint32_t group, const Visit& visit) {
    for (const Node* node : groups_[group].nodes) visit_sources(*node, visit);
  }
  template <class Visit>
  static void visit_sources(const Node& node, const Visit& visit) {
    for (const NodeArgument& argument : node.args()) {
      argument.visit_values([&](GraphValue& value) { visit(value.node()); });
    }
  }

  // Whether `second` depends on `first` through a node of neither.
  bool has_path_around(uint32_t first, uint32_t second) {
    return reaches(second, first, /*around=*/true);
  }
  bool depends(uint32_t second, uint32_t first) { return reaches(second, first, false); }

  // A node on the path, and whether it is reached only through views that `from` sees through.
  struct Visit {
    const Node* node;
    bool is_direct;
  };

  bool reaches(uint32_t from, uint32_t to, bool around) {
    const uint32_t oldest = places_.at(groups_[to].nodes.front());
    std::vector<Visit> left;
    std::vector<uint8_t> is_seen(nodes_.size(), 0);  // one bit per kind of path
    const auto push = [&](const Node& node, bool is_direct) {
      const uint32_t place = places_.at(&node);
      const auto way = static_cast<uint8_t>(is_direct ? 1 : 2);
      if (place < oldest || (is_seen[place] & way) != 0) return false;
      const uint32_t group = nodes_[place].group;
      if (group == from) return false;
      if (group == to) return !(is_direct && around);
      is_seen[place] |= way;
      left.push_back({.node = &node, .is_direct = is_direct});
      return false;
    };
    bool is_found = false;
    visit_sources(from, [&](const Node& node) { is_found |= push(node, true); });
    while (!left.empty() && !is_found) {
      const auto [node, was_direct] = left.back();
      left.pop_back();
      const bool is_direct = was_direct && is_index_view(*node);
      const auto visit = [&](const Node& source) { is_found |= push(source, is_direct); };
      const uint32_t group = nodes_[places_.at(node)].group;
      if (group == kNoGroup)
        visit_sources(*node, visit);
      else
        visit_sources(group, visit);
    }
    return is_found;
  }

  static bool is_index_view(const Node& node) {
    if (node.kind() != NodeKind::Call || !node.op().gives_views() || node.values().size() != 1)
      return false;
    auto& value = const_cast<GraphValue&>(node.values()[0]);
    return look_through(value).root != &value;
  }

  const FusionTarget& target_;
  const ShapeEnv* env_;  // null: no symbols
  std::vector<Entry> nodes_;
  std::unordered_map<const Node*, uint32_t> places_;
  std::unordered_map<const Node*, PointNode> points_;
  std::vector<FusionGroup> groups_;  // joined groups are empty
};

}  // namespace

std::vector<const FusionGroup::Member*> FusionPlan::outputs(const FusionGroup& group) const {
  std::vector<const FusionGroup::Member*> found;
  for (const FusionGroup::Member& member : group.computed) {
    if (is_needed_outside(*member.value, group)) found.push_back(&member);
  }
  return found;
}

FusionPlan plan_fusion(Graph& graph, const FusionTarget& target) {
  return Grouper(graph, target).run();
}

}  // namespace opwright
