// The backward for gradients of which some are missing.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/ir/graph.h"

namespace opwright {

// Removes missing tangents from the backward, and everything that is zero without them. Eager does
// the same by skipping parts of a history that no gradient reaches, so that zero times infinity
// does not occur. Tangents are the arguments from `first_tangent` on; a gradient that is zero
// becomes None.
[[nodiscard]] GraphPtr without_tangents(const Graph& backward, size_t first_tangent,
                                        const std::vector<bool>& is_there);

}  // namespace opwright
