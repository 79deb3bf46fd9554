// Searches for the plug-in of an unregistered device when the device is first used.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/c_api.h"
#include "opwright/visibility.h"

namespace opwright {

// Tries to load the plug-in of a device that nothing is registered for, and returns where it
// searched, as additional lines of an error. Any thread; it may call register_device.
using DeviceFinder = std::string (*)(const char* name);
// Set once by the layer above, which knows how to search.
void set_device_finder(DeviceFinder finder) noexcept;

// The device's functions, after searching for its plug-in once per device; or null.
OPWRIGHT_EXPORT const OpwDeviceTable* look_for_device_table(int32_t type);

}  // namespace opwright
