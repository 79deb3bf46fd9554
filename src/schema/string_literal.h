// String literals of the schema language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/schema/lexer.h"

namespace opwright {

// Reads the escapes of what stands between quotes into `out`. The place of an escape that is none,
// else npos.
size_t read_escapes(std::string_view body, std::string& out);

// What a String token stands for: quotes removed, escapes (\n, \", \\, \101, \x41, \u00e9, ...)
// read.
[[nodiscard]] std::string read_string(const Lexer& lexer, const Token& token);

}  // namespace opwright
