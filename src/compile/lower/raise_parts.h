// Takes parts of what is computed before it is computed, where only parts of it are needed.
//
//   %y: float32[4, 8] = aten::mul.Tensor(%x, %w)        %a: float32[4, 4] = aten::slice(%x, 1, 0,
//   4)
//   [%p, %q] = aten::split(%y, 4, 1)               ->   %p: float32[4, 4] = aten::mul.Tensor(%a,
//   ...)
//   ...
//
// So the parts and what takes them are one nest, and the whole is never written to memory.
#pragma once

#include <cstddef>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// The number of operators that were parted: pointwise ones without costly functions, whose parts do
// not overlap much.
size_t raise_parts(Graph& graph, const FusionTarget& target);

}  // namespace opwright
