// Finds the plug-in of a device when the device is first used.
//
// A device `npu` is the file libopwright_npu.so beside the core or, where a host language has
// packages, what one of them offers. Each place is tried once for each name.
#pragma once

#include <string>

#include "opwright/visibility.h"

namespace opwright {

// Loads the device where it is found, and tells where it looked when it is not there:
// "\n  Looked for .../libopwright_npu.so (there is no such file)". Any thread.
OPWRIGHT_EXPORT std::string find_device(const char* name);

// Tries to load the device, and tells where it looked: "entry points ... (none has that name)". It
// does not throw.
using PackageSearch = std::string (*)(const char* name);
// Of a host language; asked after the files. Null: there is none.
OPWRIGHT_EXPORT void set_package_search(PackageSearch search) noexcept;

}  // namespace opwright
