// The clock of time limits.
#pragma once

#include <chrono>

namespace opwright {

using Clock = std::chrono::steady_clock;

}  // namespace opwright
