// Finds the plug-in of a device when the device is first used.
//
// The plug-in of a device `npu` is the file libopwright_npu.so next to the core or, if a host
// language has packages, an entry point of one of them. Each location is tried once per name.
#pragma once

#include <string>

#include "opwright/visibility.h"

namespace opwright {

// Loads the device if it is found; otherwise returns where it looked: "\n  Looked for
// .../libopwright_npu.so (there is no such file)". Thread-safe.
OPWRIGHT_EXPORT std::string find_device(const char* name);

// Tries to load the device and returns where it looked: "entry points ... (none has that name)".
// Must not throw.
using PackageSearch = std::string (*)(const char* name);
// Set by a host language; called after the files were tried. Null: none.
OPWRIGHT_EXPORT void set_package_search(PackageSearch search) noexcept;

}  // namespace opwright
