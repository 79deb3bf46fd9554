// The smallest example that still shows a fault.
#pragma once

#include <functional>

#include "opwright/check/example/example.h"

namespace opwright {

// Makes sizes, numbers and lists smaller, strides contiguous, values simple and dtypes usual, one
// step at a time, as long as `shows` says yes; asks at most `most` times.
[[nodiscard]] Example shrink(Example example, const std::function<bool(const Example&)>& shows,
                             int most = 300);

}  // namespace opwright
