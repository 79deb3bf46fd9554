// Views that only name the dimensions of a value anew: permuted, with others of size 1, expanded.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// For each dimension of a value the one that stands for it elsewhere; kNoDim: none, it is of size
// 1 or repeats.
inline constexpr int32_t kNoDim = -1;
using DimMap = std::vector<int32_t>;

struct IndexView {
  GraphValue* root = nullptr;
  DimMap dims;  // of the view: the root's
};

// Goes from a value to what it is a view of, as far as every element of the root is shown and in
// no other order than its dimensions can tell. The metadata decides, not the operator.
[[nodiscard]] IndexView look_through(GraphValue& value);

}  // namespace opwright
