// Moves slices above pointwise operators when only slices of the result are used.
//
// clang-format off
//   %y: float32[4, 8] = aten::mul.Tensor(%x, %w)
//   [%p, %q] = aten::split(%y, 4, 1)
//
// becomes
//
//   %a: float32[4, 4] = aten::slice.Tensor(%x, 1, 0, 4)
//   %b: float32[4, 4] = aten::slice.Tensor(%w, 1, 0, 4)
//   %p: float32[4, 4] = aten::mul.Tensor(%a, %b)
//   ...                                                   the same for %q
// clang-format on
//
// Then the slices and their users fuse into one nest, and the full result is never written to
// memory.
#pragma once

#include <cstddef>

#include "opwright/compile/fuse/fusion_target.h"
#include "opwright/ir/graph/graph.h"

namespace opwright {

// Returns the number of operators replaced: pointwise ones without costly functions, whose slices
// do not overlap much.
size_t raise_parts(Graph& graph, const FusionTarget& target);

}  // namespace opwright
