// A backward for gradients that do not all come.
#pragma once

#include <cstddef>
#include <vector>

#include "opwright/ir/graph.h"

namespace opwright {

// The backward without the tangents that are not there, and without all that is zero with them: as
// eager, which leaves out the parts of a history that no gradient comes to, so that a zero times an
// infinity has no place. Tangents are arguments `first_tangent` and on; a gradient that is zero
// becomes None.
[[nodiscard]] GraphPtr without_tangents(const Graph& backward, size_t first_tangent,
                                        const std::vector<bool>& is_there);

}  // namespace opwright
