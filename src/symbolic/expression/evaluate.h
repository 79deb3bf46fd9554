// The value of an expression for given values of its symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "opwright/c_api.h"

namespace opwright {

// `values` are indexed by symbol; nullopt: unknown. Returns nullopt if the value depends on such a
// symbol. Throws ZeroDivisionError, and OverflowError if a result exceeds 64 bits.
[[nodiscard]] std::optional<int64_t> evaluate(OpwSymWord word,
                                              std::span<const std::optional<int64_t>> symbols);

}  // namespace opwright
