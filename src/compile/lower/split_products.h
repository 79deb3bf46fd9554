// Parts sums from the products that they are added to, so that a nest can take them.
//
//   %t: float32[6, 4] = aten::addmm(%bias, %x, %w)       %m: float32[6, 4] = aten::mm(%x, %w)
//   %v: float32[2, 3, 4] = aten::view(%t, ...)         -> %v: float32[2, 3, 4] = aten::view(%m,
//   ...) %r: float32[2, 3, 4] = aten::relu(%v)                %s: float32[2, 3, 4] = aten::add(%v,
//   %bias)
//                                                        %r: float32[2, 3, 4] = aten::relu(%s)
#pragma once

#include <cstddef>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// The number of products parted: those whose result a pointwise operator takes.
size_t split_products(Graph& graph, const FusionTarget& target);

}  // namespace opwright
