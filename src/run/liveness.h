// When the values of a graph end, and which of them its caller may see.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"
#include "opwright/run/value_slots.h"

namespace opwright {

struct Liveness {
  Liveness(const Graph& graph, const ValueSlots& slots);

  // Of each slot: the call after which it ends; kNoIndex: an output, or nothing uses it.
  std::vector<uint32_t> last_use;
  // Of each slot: something uses it.
  std::vector<bool> is_used;
  // Of each call: one of its results is an output or may be seen through one, as the base of a
  // view.
  std::vector<bool> is_seen;
};

}  // namespace opwright
