// Parses the symbols, guards and assertions at the start of a graph's text.
#pragma once

#include <string>

#include "opwright/ir/text/text_cursor.h"
#include "opwright/symbolic/shape_env/shape_env.h"

namespace opwright {

// Parses all lines that begin with `symbol`, `guard` or `assert`; null if there are none.
[[nodiscard]] ShapeEnvPtr parse_symbols(TextCursor& cursor);

// Parses text written by append_word_text.
[[nodiscard]] std::string take_word_or_string(TextCursor& cursor);

}  // namespace opwright
