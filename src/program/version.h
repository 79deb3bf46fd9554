// The version of this Opwright, as CMakeLists.txt has it.
#pragma once

#include <string_view>

namespace opwright {

extern const std::string_view kVersion;

}  // namespace opwright
