// A graph as a value: the sub-graphs that operators such as cond accept as arguments.
#pragma once

#include "opwright/c_api.h"
#include "opwright/ir/graph/graph.h"
#include "opwright/value.h"
#include "opwright/visibility.h"

namespace opwright {

// The type's name in schemas: "Graph".
inline constexpr const char* kGraphTypeName = "Graph";

// Registers the type for schemas; call it before defining operators that accept graphs. Idempotent.
void register_graph_type();

[[nodiscard]] OPWRIGHT_EXPORT Value graph_value(GraphPtr graph);
[[nodiscard]] OPWRIGHT_EXPORT bool is_graph(const OpwValue& value) noexcept;
// TypeError if the value is not a graph.
[[nodiscard]] OPWRIGHT_EXPORT GraphPtr graph_of(const OpwValue& value);

}  // namespace opwright
