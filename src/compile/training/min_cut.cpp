// Dinic's algorithm: augments flow along shortest paths until there is none.
#include "opwright/compile/training/min_cut.h"

#include <algorithm>

namespace opwright {
namespace {

constexpr uint32_t kUnreached = UINT32_MAX;

}  // namespace

uint32_t MinCut::add_vertex() {
  edges_of_.emplace_back();
  return static_cast<uint32_t>(edges_of_.size() - 1);
}

void MinCut::add_edge(uint32_t from, uint32_t to, int64_t cost) {
  edges_of_[from].push_back(static_cast<uint32_t>(edges_.size()));
  edges_.push_back({to, cost});
  edges_of_[to].push_back(static_cast<uint32_t>(edges_.size()));
  edges_.push_back({from, 0});
}

bool MinCut::find_levels() {
  levels_.assign(edges_of_.size(), kUnreached);
  std::vector<uint32_t> reached{kSource};
  levels_[kSource] = 0;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const uint32_t edge : edges_of_[reached[i]]) {
      const auto& [to, left] = edges_[edge];
      if (left == 0 || levels_[to] != kUnreached) continue;
      levels_[to] = levels_[reached[i]] + 1;
      reached.push_back(to);
    }
  }
  return levels_[kSink] != kUnreached;
}

// Pushes the capacity of one path; 0 if no path of this length is left.
int64_t MinCut::push_path() {
  std::vector<uint32_t> path;
  uint32_t at = kSource;
  while (at != kSink) {
    uint32_t& next = next_[at];
    while (next < edges_of_[at].size()) {
      const Edge& edge = edges_[edges_of_[at][next]];
      if (edge.left > 0 && levels_[edge.to] == levels_[at] + 1) break;
      ++next;
    }
    if (next < edges_of_[at].size()) {
      path.push_back(edges_of_[at][next]);
      at = edges_[path.back()].to;
      continue;
    }
    if (path.empty()) return 0;
    at = edges_[path.back() ^ 1].to;
    path.pop_back();
    ++next_[at];
  }
  int64_t amount = kUncuttable;
  for (const uint32_t edge : path) amount = std::min(amount, edges_[edge].left);
  for (const uint32_t edge : path) {
    edges_[edge].left -= amount;
    edges_[edge ^ 1].left += amount;
  }
  return amount;
}

std::vector<bool> MinCut::find_sink_side() {
  while (find_levels()) {
    next_.assign(edges_of_.size(), 0);
    while (push_path() != 0) {
    }
  }
  std::vector<bool> is_sink_side(edges_of_.size(), false);
  std::vector<uint32_t> reached{kSink};
  is_sink_side[kSink] = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    for (const uint32_t edge : edges_of_[reached[i]]) {
      const uint32_t from = edges_[edge].to;
      if (is_sink_side[from] || edges_[edge ^ 1].left == 0) continue;
      is_sink_side[from] = true;
      reached.push_back(from);
    }
  }
  return is_sink_side;
}

}  // namespace opwright
