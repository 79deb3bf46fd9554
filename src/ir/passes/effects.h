// What passes must know of a node beside its values.
#pragma once

#include "opwright/ir/graph/node.h"

namespace opwright {

// Whether the node does more than give values: it writes, is Ordered, draws random numbers, or
// gives no value at all by its schema; or a sub-graph of it does so.
[[nodiscard]] bool has_effect(const Node& node);

// Whether two runs with the same arguments give the same and nothing else happens.
[[nodiscard]] bool is_repeatable(const Node& node);

// Whether an argument is a graph.
[[nodiscard]] bool has_sub_graph(const Node& node);

}  // namespace opwright
