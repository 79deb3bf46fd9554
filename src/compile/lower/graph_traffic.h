// Counts the bytes that a graph moves between its calls and memory, which bound the run time of
// memory-bound graphs.
//
// A call reads each of its tensors once and writes each of its results; views move nothing.
// Repeated elements (stride 0) count once. Symbolic sizes have their values of the captured call;
// unknown ones count as 0.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/ir/graph/graph.h"

namespace opwright {

struct Traffic {
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  [[nodiscard]] int64_t total() const noexcept { return bytes_read + bytes_written; }
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

// For a Call.
[[nodiscard]] Traffic count_traffic(const Node& node);
// For all calls.
[[nodiscard]] Traffic count_traffic(const Graph& graph);
// The minimum for any plan: inputs that are read, results and written inputs, each once.
[[nodiscard]] Traffic count_least_traffic(const Graph& graph);

// For explain():
//   moved 12288
//   least 12288
//   opwright::nest.out1 reads 8192, writes 4096
[[nodiscard]] std::string traffic_text(const Graph& graph);

}  // namespace opwright
