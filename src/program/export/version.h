// The version of this Opwright, from CMakeLists.txt.
#pragma once

namespace opwright {

extern const char* const kVersion;

}  // namespace opwright
