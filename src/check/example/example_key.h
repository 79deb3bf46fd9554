// A key for detecting equal examples.
#pragma once

#include <string>

#include "opwright/check/example/example.h"
#include "opwright/visibility.h"

namespace opwright {

// Equal for examples with the same numbers, bytes, sizes, strides, offsets, dtypes, requires_grad
// and shared memory.
[[nodiscard]] OPWRIGHT_EXPORT std::string key_of(const Example& example);

}  // namespace opwright
