// Splits full reductions in two steps, so that several threads can share the first.
//
//   %t: float32[] = aten::sum(%x)  ->  %p: float32[1024] = aten::sum.dim_IntList(%x, [1])
//                                      %t: float32[] = aten::sum(%p)
#pragma once

#include <cstddef>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Returns the number of reductions split: large ones of values that a nest can compute.
size_t split_reductions(Graph& graph, const FusionTarget& target);

}  // namespace opwright
