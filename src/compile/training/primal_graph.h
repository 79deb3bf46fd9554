// The function of a joint graph alone, for differentiating it again call by call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/compile/training/joint_graph.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

struct PrimalGraph {
  GraphPtr graph;                // null: there is none
  std::string why_not;           // what the function does that cannot be done twice
  std::vector<uint32_t> inputs;  // of the joint graph, one for each of `graph`
};

// Its outputs are what the tangents are gradients of, in order; without writes and other effects,
// with the grad mode of each call.
[[nodiscard]] PrimalGraph make_primal_graph(const JointGraph& joint);

}  // namespace opwright
