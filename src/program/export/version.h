// The version of this Opwright, as CMakeLists.txt has it.
#pragma once

namespace opwright {

extern const char* const kVersion;

}  // namespace opwright
