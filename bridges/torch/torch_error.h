// Errors of ours as exceptions that torch shows to Python.
#pragma once

#include "opwright/error.h"

namespace opwright::torch_bridge {

// Where Python is, as the exception of the kind, or as the one of Python that the error carries.
// Else ValueError, IndexError, OverflowError and MemoryError arrive as these, and all else as
// RuntimeError, whose text then starts with the kind. Not through aoti_torch_check, which writes
// down the C++ stack first and takes a thousand times as long.
[[noreturn]] void throw_to_torch(const Error& error);

}  // namespace opwright::torch_bridge
