// Puts nests into a graph in place of the groups that they compute.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opwright/compile/backend/nest_call.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Makes the code of a nest; null: it cannot be made.
using MakeCode = std::function<ObjectCodePtr(const EmittedNest& emitted)>;

// What became of one group.
struct FusedNest {
  NestCallPtr call;
  std::vector<std::string> operators = {};  // of its nodes
};

// The graph is functional but for writes at its end; it is changed. Gives the nests in the order of
// their calls. Groups whose code cannot be made stay as they are.
std::vector<FusedNest> fuse(Graph& graph, const EmitTarget& target, const MakeCode& make_code);

}  // namespace opwright
