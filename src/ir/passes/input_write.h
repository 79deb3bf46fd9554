// Writes to inputs: a functionalized graph ends with one call of aten::copy_ for each written
// input.
#pragma once

#include "opwright/ir/graph/node.h"

namespace opwright {

// Whether the node is a call of aten::copy_.
[[nodiscard]] bool is_copy_write(const Node& node);

// Whether it also writes an input of the graph; args()[1] is the new value.
[[nodiscard]] bool writes_input(const Node& node);

}  // namespace opwright
