// Warnings: text for the user about something that works, but not as well as it could.
#pragma once

#include <string>

#include "opwright/visibility.h"

namespace opwright {

// `category` is the name of a Python class of warnings. Without a handler the text goes to stderr;
// a handler may throw, since users can ask for warnings to be errors.
OPWRIGHT_EXPORT void warn(const char* category, const std::string& text);

using WarningHandler = void (*)(const char* category, const std::string& text);
// Gets all warnings of the process from now on; null: stderr again.
OPWRIGHT_EXPORT void set_warning_handler(WarningHandler handler) noexcept;

}  // namespace opwright
