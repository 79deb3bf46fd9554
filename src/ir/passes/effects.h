// What passes need to know about a node besides its values.
#pragma once

#include "opwright/ir/graph/node.h"

namespace opwright {

// Whether the node, or one of its sub-graphs, does more than compute values: it writes, is Ordered,
// draws random numbers, or has a schema without results.
[[nodiscard]] bool has_effect(const Node& node);

// Whether two runs with the same arguments give the same results and have no effects.
[[nodiscard]] bool is_repeatable(const Node& node);

// Whether one of the node's arguments is a graph.
[[nodiscard]] bool has_sub_graph(const Node& node);

}  // namespace opwright
