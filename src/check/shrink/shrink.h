// Finds the smallest example that still shows a fault.
#pragma once

#include <functional>

#include "opwright/check/example/example.h"

namespace opwright {

// Reduces sizes, numbers and lists, makes strides contiguous, values simple and dtypes common, one
// step at a time, as long as `shows` returns true; calls it at most `most` times.
[[nodiscard]] Example shrink(Example example, const std::function<bool(const Example&)>& shows,
                             int most = 300);

}  // namespace opwright
