// Views that only rename the dimensions of a value: permute, add or remove size 1, expand.
#pragma once

#include <cstdint>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Maps each dimension of a value to one of another; kNoDim: none, since it has size 1 or repeats.
inline constexpr int32_t kNoDim = -1;
using DimMap = std::vector<int32_t>;

struct IndexView {
  GraphValue* root = nullptr;
  DimMap dims;  // of the view, in terms of the root
};

// Follows a value to its base, as long as every element of the root is visible and their order
// follows from the dimensions. Decided by the metadata, not by the operator.
[[nodiscard]] IndexView look_through(GraphValue& value);

}  // namespace opwright
