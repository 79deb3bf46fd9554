// Passes Python exceptions through torch's C++: from a function that torch called to the Python
// code that called torch, as the same object.
#pragma once

#include "opwright/error.h"

namespace opwright::torch_bridge {

// Whether this version of torch is known to catch what throw_python_error throws. The GIL is held.
[[nodiscard]] bool torch_carries_python_errors();

// Throws the exception of `error`; from any thread.
[[noreturn]] void throw_python_error(const Error& error);

}  // namespace opwright::torch_bridge
