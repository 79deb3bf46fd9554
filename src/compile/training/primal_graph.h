// Extracts the function from a joint graph, to differentiate it again call by call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/compile/training/joint_graph.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

struct PrimalGraph {
  GraphPtr graph;                // null if it cannot be extracted
  std::string why_not;           // what the function does that cannot be repeated
  std::vector<uint32_t> inputs;  // index in the joint graph, per input of `graph`
};

// Its outputs are the values that the tangents are gradients of, in order. It has no writes and
// other effects, and keeps the grad mode of each call.
[[nodiscard]] PrimalGraph make_primal_graph(const JointGraph& joint);

}  // namespace opwright
