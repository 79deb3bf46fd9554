// Errors of ours as exceptions that torch shows to Python.
#pragma once

#include "opwright/error.h"

namespace opwright::torch_bridge {

// ValueError, IndexError, OverflowError and MemoryError arrive as these; torch's C ABI knows
// RuntimeError for all else, whose text then starts with the kind.
[[noreturn]] void throw_to_torch(const Error& error);

}  // namespace opwright::torch_bridge
