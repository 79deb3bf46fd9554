// Splits a joint graph into a forward that saves values and a backward that uses them.
//
// The split is the cut that saves the fewest bytes: values that a fused loop or a view produces for
// free are recomputed in the backward, all others are saved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

struct PartitionRequest {
  std::span<const uint32_t> tangents;  // inputs of the joint graph that only the backward gets
  size_t num_outputs = 0;              // of the forward; gradients follow, then random states
  std::vector<bool> is_dropped = {};   // unused outputs, replaced by None; empty: none
};

struct SavedValue {
  static constexpr uint32_t kNone = UINT32_MAX;
  std::string name;         // in the joint graph
  uint32_t input = kNone;   // the input of the joint graph that it is
  uint32_t output = kNone;  // the output of the forward that it is
};

struct Partition {
  // Inputs of the joint graph without tangents; outputs: the requested ones, `saved`,
  // `num_saved_ints` ints, random states.
  GraphPtr forward;
  // Arguments: saved values, tangents, saved ints. Outputs: gradients, or None.
  GraphPtr backward;
  std::vector<SavedValue> saved;
  size_t num_saved_ints = 0;
  int64_t saved_bytes = 0;  // in the traced run
};

// The joint graph is functional: it writes only at its end. RuntimeError if an effect depends on a
// tangent.
[[nodiscard]] Partition partition(const Graph& joint, const PartitionRequest& request);

}  // namespace opwright
