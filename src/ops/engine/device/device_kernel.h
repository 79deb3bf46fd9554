// Kernels that a device's compiler builds from source text in the device's own language.
#pragma once

#include <string>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/visibility.h"

namespace opwright {

// The kernel lives until the process ends; the same text is compiled once. NotImplementedError if
// the device has no compiler; if compilation fails, the error contains the compiler's log. `device`
// has an index.
[[nodiscard]] OPWRIGHT_EXPORT OpwDeviceKernel* build_device_kernel(Device device,
                                                                   const std::string& source,
                                                                   const std::string& name,
                                                                   const std::string& options);

// Queues one launch on the device's current stream; does nothing for zero groups. If calls
// synchronize (dispatch/row.h), it waits, so that a fault is reported for the kernel that caused
// it. Errors name the kernel.
OPWRIGHT_EXPORT void launch_device_kernel(Device device, OpwDeviceKernel* kernel,
                                          const OpwLaunch& launch);

}  // namespace opwright
