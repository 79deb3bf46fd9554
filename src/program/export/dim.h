// What a caller says of a size of an input: it is fixed, free, or a number with a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "opwright/program.h"
#include "opwright/visibility.h"

namespace opwright {

// `2*batch + 1`, `batch`, `Dim.AUTO`: as Python writes it.
[[nodiscard]] OPWRIGHT_EXPORT std::string to_text(const Dim& dim);
// `batch = Dim("batch", min=2, max=64)`: of a named one.
[[nodiscard]] OPWRIGHT_EXPORT std::string definition_text(const Dim& dim);

}  // namespace opwright
