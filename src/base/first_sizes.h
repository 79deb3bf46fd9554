// Sizes of the c_api.h structs in version 1.0: every binary of major version 1 has at least these,
// however much the structs have grown. Readers check struct_size for later fields.
#pragma once

#include <cstddef>

#include "opwright/c_api.h"

namespace opwright {

inline constexpr size_t kFirstBinarySize = 32;
inline constexpr size_t kFirstLibrarySize = 64;
inline constexpr size_t kFirstImportSize = 32;
inline constexpr size_t kFirstImplementationSize = 64;
inline constexpr size_t kFirstDevicePluginSize = 24;

static_assert(sizeof(OpwBinary) >= kFirstBinarySize);
static_assert(sizeof(OpwLibrary) >= kFirstLibrarySize);
static_assert(sizeof(OpwImport) >= kFirstImportSize);
static_assert(sizeof(OpwImplementation) >= kFirstImplementationSize);
static_assert(sizeof(OpwDevicePlugin) >= kFirstDevicePluginSize);

}  // namespace opwright
