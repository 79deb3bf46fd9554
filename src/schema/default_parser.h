// Parses the default value of an argument according to the argument's type.
#pragma once

#include "opwright/schema/lexer.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"

namespace opwright {

// The value in the argument's type: `1` is a float for `float`, [1, 1] for `int[2]`. Errors point
// at the token that does not fit.
[[nodiscard]] Value parse_default(Lexer& lexer, const Type& type);

}  // namespace opwright
