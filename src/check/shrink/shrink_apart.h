// Shrinks in a child process, since a smaller example may crash.
#pragma once

#include <functional>

#include "opwright/check/example/example.h"

namespace opwright {

// Like shrink, but calls `shows` in a child; a call that ends the child counts as false. Changes
// made by `shows` are not visible here. Runs in this process if tensors are on another device than
// the CPU, which rules out a child.
[[nodiscard]] Example shrink_apart(const Example& example,
                                   const std::function<bool(const Example&)>& shows, int most);

}  // namespace opwright
