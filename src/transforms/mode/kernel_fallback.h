// What runs for an operator that has no kernel for a device.
//
// A form that writes runs as the operator that does not, and a copy; an operator with a
// decomposition as that. Both stay on the device. Where there is neither, and the user allowed it,
// the CPU's kernel runs on copies, and is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/visibility.h"

namespace opwright {

// Of this thread; not allowed at first.
[[nodiscard]] OPWRIGHT_EXPORT bool allows_fallback() noexcept;
OPWRIGHT_EXPORT void set_allows_fallback(bool allows) noexcept;

// How often each operator ran on the CPU for a device that lacks it, most often first. Any thread.
struct FallbackCount {
  std::string name;  // "aten::cumsum"
  int64_t times;
};
[[nodiscard]] OPWRIGHT_EXPORT std::vector<FallbackCount> fallback_counts();
OPWRIGHT_EXPORT void reset_fallback_counts();

}  // namespace opwright
