// The prototypes of the engine's own ops that the core's rules use.
#pragma once

#include <span>

namespace opwright::graph_engine {

[[nodiscard]] std::span<const char* const> builtin_prototypes();
// Defines the operators that no binary has defined.
void register_builtin_prototypes();

}  // namespace opwright::graph_engine
