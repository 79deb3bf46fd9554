// String literals of the schema language.
#pragma once

#include <string>

#include "opwright/schema/lexer.h"

namespace opwright {

// What a String token stands for: quotes removed, escapes (\n, \", \\, \101, \x41, \u00e9, ...)
// read.
[[nodiscard]] std::string read_string(const Lexer& lexer, const Token& token);

}  // namespace opwright
