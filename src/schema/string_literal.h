// String literals of the schema language.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "opwright/schema/lexer.h"

namespace opwright {

// Decodes the escapes of a quoted text into `out`. Returns the position of an invalid escape, else
// npos.
size_t read_escapes(std::string_view body, std::string& out);

// The value of a String token: quotes removed, escapes (\n, \", \\, \101, \x41, \u00e9, ...)
// decoded.
[[nodiscard]] std::string read_string(const Lexer& lexer, const Token& token);

}  // namespace opwright
