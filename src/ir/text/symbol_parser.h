// Reads the symbols, guards and assertions at the start of a graph's text.
#pragma once

#include <string>

#include "opwright/ir/text/text_cursor.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {

// All lines that begin with `symbol`, `guard` or `assert`; null where there is none.
[[nodiscard]] ShapeEnvPtr parse_symbols(TextCursor& cursor);

// What append_word_text wrote.
[[nodiscard]] std::string take_word_or_string(TextCursor& cursor);

}  // namespace opwright
