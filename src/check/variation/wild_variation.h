// Changes without any rules, for operators that must either reject or compute any input.
#pragma once

#include <optional>

#include "opwright/check/values/random_source.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// One random change: sizes, strides, dtype of one tensor or of all, arbitrary numbers, extreme
// values, shared memory (also offset by one element). nullopt if the chosen change does not apply.
[[nodiscard]] std::optional<Draft> change_wildly(const Draft& draft, RandomSource& rng);

}  // namespace opwright
