// Checks whether bytes are UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

#include "opwright/visibility.h"

namespace opwright {

// The position of the first invalid byte; npos if there is none.
[[nodiscard]] OPWRIGHT_EXPORT size_t find_non_utf8(std::string_view bytes) noexcept;
[[nodiscard]] inline bool is_utf8(std::string_view bytes) noexcept {
  return find_non_utf8(bytes) == std::string_view::npos;
}

}  // namespace opwright
