// Replaces groups of a graph by the nests that compute them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opwright/compile/backend/nest_call.h"
#include "opwright/compile/llvm/emit_llvm.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Makes the code of a nest; null if that is not possible.
using MakeCode = std::function<ObjectCodePtr(const EmittedNest& emitted)>;

// The result of fusing one group.
struct FusedNest {
  NestCallPtr call;
  std::vector<std::string> operators = {};  // of its nodes
};

// Modifies the graph, which is functional except for writes at its end. Returns the nests in the
// order of their calls. Groups whose code cannot be made stay unchanged.
std::vector<FusedNest> fuse(Graph& graph, const EmitTarget& target, const MakeCode& make_code);

}  // namespace opwright
