// Overload resolution.
#pragma once

#include <span>

#include "opwright/schema/bind.h"
#include "opwright/schema/schema.h"
#include "opwright/visibility.h"

namespace opwright {

// The index of the first overload whose arguments bind without coercion, else of the first that
// binds at all. Throws TypeError that lists each overload with the reason it does not fit.
// `overloads` is not empty.
[[nodiscard]] OPWRIGHT_EXPORT size_t choose_overload(std::span<const Schema* const> overloads,
                                                     std::span<const OpwValue> positional,
                                                     std::span<const KeywordValue> keywords = {});

}  // namespace opwright
