// What a caller declares about a size of an input: static, dynamic, or a named symbol.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opwright/runtime/program.h"
#include "opwright/visibility.h"

namespace opwright {

// `2*batch + 1`, `batch`, `Dim.AUTO`: as Python writes it.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Dim& dim);
// `batch = Dim("batch", min=2, max=64)`, for a named Dim.
[[nodiscard]] OPWRIGHT_EXPORT std::string definition_text(const Dim& dim);

}  // namespace opwright
