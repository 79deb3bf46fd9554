// Text of expressions, as a person would write them: "2*s0 + 1", "s0//2 == s1", "max(s0, 1)".
#pragma once

#include <string>

#include "opwright/c_api.h"

namespace opwright {

// parse_expression() of the text returns the same word.
void append_expression(std::string& out, OpwSymWord word);
[[nodiscard]] std::string expression_text(OpwSymWord word);

}  // namespace opwright
