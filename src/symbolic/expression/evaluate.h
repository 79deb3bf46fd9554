// The value of an expression for given values of its symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/c_api.h"

namespace opwright {

// Values by the symbols' places; none: not known. None where the value depends on such a symbol.
// ZeroDivisionError. OverflowError where a result leaves 64 bits.
[[nodiscard]] std::optional<int64_t> evaluate(OpwSymWord word,
                                              std::span<const std::optional<int64_t>> symbols);

}  // namespace opwright
