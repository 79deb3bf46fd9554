// Splits a joint graph into a forward that saves values and a backward that takes them.
//
// What lies between the two is the cut that saves the fewest bytes: values that a fused loop or a
// view gives for nothing are computed again in the backward, all others are saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

struct PartitionRequest {
  std::span<const uint32_t> tangents;  // inputs of the joint graph that the backward alone gets
  size_t num_outputs = 0;              // of the forward; gradients follow, then random states
  std::vector<bool> is_dropped = {};   // outputs that nobody wants: None; empty: none
};

struct SavedValue {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::string name;         // in the joint graph
  uint32_t input = kNone;   // the input of the joint graph that it is
  uint32_t output = kNone;  // the output of the forward that it is
};

struct Partition {
  // Inputs as the joint graph has them, without tangents; outputs: those asked for, `saved`,
  // `num_saved_ints` ints, random states.
  GraphPtr forward;
  // Arguments: saved values, tangents, saved ints. Outputs: gradients, or None.
  GraphPtr backward;
  std::vector<SavedValue> saved;
  size_t num_saved_ints = 0;
  int64_t saved_bytes = 0;  // in the run that the graph was traced with
};

// The joint graph is functional: it writes at its end alone. RuntimeError where an effect depends
// on a tangent.
[[nodiscard]] Partition partition(const Graph& joint, const PartitionRequest& request);

}  // namespace opwright
