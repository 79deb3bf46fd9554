// Prints an example as Python code that can be pasted and run.
#pragma once

#include <string>

#include "opwright/check/example/example.h"
#include "opwright/visibility.h"

namespace opwright {

// "import opwright as ow\n\nx = ow.ones(2, 3)\now.ops.audio.gain(x, 0.5)\n": one line per tensor.
// When run, the tensors have the same values, strides, offset, dtype, requires_grad and shared
// memory.
[[nodiscard]] OPWRIGHT_EXPORT std::string code_of(const Example& example);

}  // namespace opwright
