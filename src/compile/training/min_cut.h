// Finds the minimum cut between two vertices of a directed network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace opwright {

class MinCut {
 public:
  static constexpr int64_t kUncuttable = INT64_MAX / 4;
  static constexpr uint32_t kSource = 0;
  static constexpr uint32_t kSink = 1;

  MinCut() : edges_of_(2) {}

  uint32_t add_vertex();
  void add_edge(uint32_t from, uint32_t to, int64_t cost);

  // True for each vertex on the sink's side of the minimum cut that is nearest to the sink. Call
  // once.
  [[nodiscard]] std::vector<bool> find_sink_side();

 private:
  struct Edge {
    uint32_t to;
    int64_t left;  // residual capacity; its reverse edge is the next or previous one
  };
  [[nodiscard]] bool find_levels();
  [[nodiscard]] int64_t push_path();

  std::vector<Edge> edges_;
  std::vector<std::vector<uint32_t>> edges_of_;  // per vertex
  std::vector<uint32_t> levels_;
  std::vector<uint32_t> next_;
};

}  // namespace opwright
