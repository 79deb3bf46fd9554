// Warnings: messages to the user about something that works, but not as well as it could.
#pragma once

#include <string>

#include "opwright/visibility.h"

namespace opwright {

// `category` is the name of a Python warning class. Without a handler the text goes to stderr; a
// handler may throw, since users can turn warnings into errors.
OPWRIGHT_EXPORT void warn(const char* category, const std::string& text);

using WarningHandler = void (*)(const char* category, const std::string& text);
// Receives all warnings of the process from now on; null: stderr again.
OPWRIGHT_EXPORT void set_warning_handler(WarningHandler handler) noexcept;

}  // namespace opwright
