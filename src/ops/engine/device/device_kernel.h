// Kernels that a device's compiler makes of a text, in the device's own language.
#pragma once

#include <string>

#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/visibility.h"

namespace opwright {

// Lives as long as the process; the same text is compiled once. NotImplementedError of a device
// without a compiler; the compiler's log is in the error of a text that it refuses. `device` has an
// index.
[[nodiscard]] OPWRIGHT_EXPORT OpwDeviceKernel* build_device_kernel(Device device,
                                                                   const std::string& source,
                                                                   const std::string& name,
                                                                   const std::string& options);

// Queues one run on the current stream of the device; without a group there is nothing to run.
// Where calls synchronize (dispatch/row.h) it waits, so that a fault is told of the kernel that
// made it. Errors name the kernel.
OPWRIGHT_EXPORT void launch_device_kernel(Device device, OpwDeviceKernel* kernel,
                                          const OpwLaunch& launch);

}  // namespace opwright
