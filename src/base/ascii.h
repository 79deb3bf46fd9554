// Classes of ASCII characters; unlike <cctype>, the same in every locale.
#pragma once

namespace opwright {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace opwright
