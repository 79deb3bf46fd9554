// Queries on a call's node for the rules of all engines, in addition to its arguments
// (opwright/runtime/call_arguments.h).
#pragma once

#include <optional>
#include <string>

#include "opwright/ir/graph/node.h"
#include "opwright/runtime/call_arguments.h"  // IWYU pragma: export
#include "opwright/symint.h"
#include "opwright/visibility.h"

namespace opwright {

// "aten::add.Tensor (model.py:12)"
[[nodiscard]] OPWRIGHT_EXPORT std::string name_call(const Node& node);

// The int that an argument is, or that the graph computes for it.
[[nodiscard]] std::optional<SymInt> int_of(const NodeArgument& argument);

}  // namespace opwright
