// The backward for some of its tangents, as eager runs it when outputs get no gradient.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/ir/graph/graph.h"

namespace opwright {

// Returns the backward without the calls of autograd/gradient_flow.h and without the tangents that
// are not there. Tangents are the inputs `first_tangent` and on.
//
// It computes what eager does: a value that was computed for absent gradients alone is absent too,
// and an absent gradient is zeros for a formula that also got others. A gradient that is absent
// becomes None.
[[nodiscard]] GraphPtr make_backward_for(const Graph& backward, size_t first_tangent,
                                         const std::vector<bool>& is_there);

}  // namespace opwright
