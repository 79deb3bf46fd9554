// The cpu's entry in the device table: aligned malloc memory, memcpy copies, no streams.
#pragma once

#include "opwright/c_api.h"

namespace opwright {

extern const OpwDeviceTable kCpuDevice;

}  // namespace opwright
