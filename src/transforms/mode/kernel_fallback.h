// The fallback for an operator without a kernel for a device.
//
// A form that writes runs as the operator that does not write, plus a copy; an operator with a
// decomposition runs that. Both stay on the device. Otherwise, if the user allowed it, the CPU
// kernel runs on copies, and the call is counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "opwright/visibility.h"

namespace opwright {

// Per thread; off by default.
[[nodiscard]] OPWRIGHT_EXPORT bool allows_fallback() noexcept;
OPWRIGHT_EXPORT void set_allows_fallback(bool allows) noexcept;

// How often each operator fell back to the CPU, most frequent first. Any thread.
struct FallbackCount {
  std::string name;  // "aten::cumsum"
  int64_t times;
};
[[nodiscard]] OPWRIGHT_EXPORT std::vector<FallbackCount> fallback_counts();
OPWRIGHT_EXPORT void reset_fallback_counts();

}  // namespace opwright
