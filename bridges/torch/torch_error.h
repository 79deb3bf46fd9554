// Throws our errors as exceptions that torch shows to Python.
#pragma once

#include "opwright/error.h"

namespace opwright::torch_bridge {

// With Python, as the exception of the kind, or as the Python exception that the error carries.
// Without it, ValueError, IndexError, OverflowError and MemoryError keep their kind, and everything
// else becomes a RuntimeError whose text starts with the kind. Not through aoti_torch_check, which
// records the C++ stack first and takes a thousand times as long.
[[noreturn]] void throw_to_torch(const Error& error);

}  // namespace opwright::torch_bridge
