// Changes the numbers, lists and flags among the arguments of an example.
#pragma once

#include "opwright/check/example/example.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// For each argument alone: nearby ints and floats, flipped flags, None and the default where the
// schema allows them, lists that are shorter, longer or empty.
[[nodiscard]] VariationSteps number_steps(const Example& example);

// The draft with an argument replaced; the change is described.
[[nodiscard]] Draft with_value(const Draft& draft, uint32_t argument, const Value& value);

}  // namespace opwright
