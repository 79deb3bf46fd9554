// A graph as a value: the sub-graphs that operators such as cond take as arguments.
#pragma once

#include "opwright/ir/graph.h"
#include "opwright/value.h"

namespace opwright {

// The type's name in schemas: "Graph".
inline constexpr const char* kGraphTypeName = "Graph";

[[nodiscard]] Value graph_value(GraphPtr graph);
// TypeError for a value that is no graph.
[[nodiscard]] GraphPtr graph_of(const OpwValue& value);

}  // namespace opwright
