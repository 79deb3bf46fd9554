// Writes a profile as a file for chrome://tracing and Perfetto (Trace Event Format, JSON).
#pragma once

#include <string>
#include <string_view>

#include "command/profile.h"

namespace opwright::command {

// Runs and, nested in them, the calls of operators, with line, module and sizes.
[[nodiscard]] std::string chrome_trace(const Profile& profile);
// OSError.
void write_chrome_trace(const std::string& path, const Profile& profile);

// A JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace opwright::command
