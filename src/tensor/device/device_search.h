// Looking for the plug-in of a device that nothing is registered for, when it is first used.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

// Tries to load the plug-in of a device that nothing is registered for, and tells where it looked,
// as more lines of an error. Any thread; it may call register_device.
using DeviceFinder = std::string (*)(const char* name);
// Of the layer above that knows how. Set once.
void set_device_finder(DeviceFinder finder) noexcept;

// What the device can do, after having looked for its plug-in once for each device; or null.
OPWRIGHT_EXPORT const OpwDeviceTable* look_for_device_table(int32_t type);

}  // namespace opwright
