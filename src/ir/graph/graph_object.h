// A graph as a value: the sub-graphs that operators such as cond take as arguments.
#pragma once

#include "opwright/c_api.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// The type's name in schemas: "Graph".
inline constexpr const char* kGraphTypeName = "Graph";

// Makes schemas know the type; before operators that take graphs are defined. May be called again.
void register_graph_type();

[[nodiscard]] OPWRIGHT_EXPORT Value graph_value(GraphPtr graph);
[[nodiscard]] OPWRIGHT_EXPORT bool is_graph(const OpwValue& value) noexcept;
// TypeError for a value that is no graph.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr graph_of(const OpwValue& value);

}  // namespace opwright
