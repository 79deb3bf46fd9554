// Reads the default value of an argument; the argument's type says how.
#pragma once

#include "opwright/schema/lexer.h"
#include "opwright/schema/type.h"
#include "opwright/value.h"

namespace opwright {

// The value as the type has it: `1` is a float for `float`, [1, 1] for `int[2]`. An error at the
// token that does not fit.
[[nodiscard]] Value parse_default(Lexer& lexer, const Type& type);

}  // namespace opwright
