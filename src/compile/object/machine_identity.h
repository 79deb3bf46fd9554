// Identifies this machine as far as generated code depends on it; queried from the machine itself.
#pragma once

#include <string>

namespace opwright {

// Equal texts mean: code made on one machine runs on the other, and would be the same there.
[[nodiscard]] const std::string& machine_identity();

}  // namespace opwright
