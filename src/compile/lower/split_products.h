// Splits addmm into a product and an addition, so that a nest can fuse the addition.
//
// clang-format off
//   %t: float32[6, 4]    = aten::addmm(%bias, %x, %w)
//   %v: float32[2, 3, 4] = aten::view(%t, ...)
//   %r: float32[2, 3, 4] = aten::relu(%v)
//
// becomes
//
//   %m: float32[6, 4]    = aten::mm(%x, %w)
//   %v: float32[2, 3, 4] = aten::view(%m, ...)
//   %s: float32[2, 3, 4] = aten::add.Tensor(%v, %bias)
//   %r: float32[2, 3, 4] = aten::relu(%s)
// clang-format on
#pragma once

#include <cstddef>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Returns the number of products split: those whose result is used by a pointwise operator.
size_t split_products(Graph& graph, const FusionTarget& target);

}  // namespace opwright
