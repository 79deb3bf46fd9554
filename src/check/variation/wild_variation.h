// Changes that respect nothing: for operators that must refuse or compute whatever they are given.
#pragma once

#include <optional>

#include "opwright/check/values/random_source.h"
#include "opwright/check/variation/variation_step.h"

namespace opwright {

// One change: sizes, strides, dtype of one tensor or of all, wild numbers, extreme values, memory
// that is shared, also one element on. Nothing where the one that was chosen does not apply.
[[nodiscard]] std::optional<Draft> change_wildly(const Draft& draft, Dice& dice);

}  // namespace opwright
