// When a graph's values die, and which of them its caller may see.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/value_slots.h"

namespace opwright {

struct Liveness {
  Liveness(const Graph& graph, const ValueSlots& slots);

  // For each slot: the call after which it dies; kNoIndex: an output, or unused.
  std::vector<uint32_t> last_use;
  // For each slot: whether it is used.
  std::vector<bool> is_used;
  // For each call: whether one of its results is an output, or is visible through one as the base
  // of a view.
  std::vector<bool> is_seen;
};

}  // namespace opwright
