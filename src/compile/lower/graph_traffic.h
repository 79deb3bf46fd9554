// How many bytes a graph moves between its calls and memory: what bounds the time of one that
// computes little.
//
// A call reads each tensor that it takes once and writes each that it gives; views move nothing.
// Elements that a tensor shows several times (strides of 0) count once. Sizes that are symbols have
// their values of the captured call, unknown ones count 0.
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

// Of a Call.
[[nodiscard]] Traffic count_traffic(const Node& node);
// Of all calls.
[[nodiscard]] Traffic count_traffic(const Graph& graph);
// What no plan can do without: inputs that something reads, results and written inputs, each once.
[[nodiscard]] Traffic count_least_traffic(const Graph& graph);

// For explain():
//   moved 12288
//   least 12288
//   opwright::nest.out1 reads 8192, writes 4096
[[nodiscard]] std::string traffic_text(const Graph& graph);

}  // namespace opwright
