// Immortal copies of strings, one for each text: names that plain structs point to.
#pragma once

#include <string_view>

#include "opwright/visibility.h"

namespace opwright {

// The copy of `text`, with a final zero; the same pointer for the same text. Any thread.
[[nodiscard]] OPWRIGHT_EXPORT const char* intern(std::string_view text);

}  // namespace opwright
