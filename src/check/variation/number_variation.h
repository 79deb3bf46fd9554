// Other numbers, lists and flags among the arguments of an example.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// Ints and floats nearby, flags turned, None and the default where the schema has them, lists that
// are shorter, longer or empty: for each argument by itself.
[[nodiscard]] VariationSteps number_steps(const Example& example);

// The draft with another value of an argument, in words.
[[nodiscard]] Draft with_value(const Draft& draft, uint32_t argument, const Value& value);

}  // namespace opwright
