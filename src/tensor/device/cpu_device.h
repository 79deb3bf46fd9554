// The cpu's entry in the device table: aligned memory of malloc, copies by memcpy, no streams.
#pragma once

#include "opwright/c_api.h"

namespace opwright {

extern const OpwDeviceTable kCpuDevice;

}  // namespace opwright
