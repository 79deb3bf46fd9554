// The driver behind the plug-in: found at the first use of a device, not when the binary loads.
#pragma once

#include <cstdint>
#include <string>

namespace opwright::cuda {

// Those behind are not used.
inline constexpr int32_t kMostDevices = 64;

// Why device_count() is 0; empty where there is a device.
std::string absence_of_devices();

// Whether the process that started the driver was forked into this one. Nothing of CUDA may be
// called here any more.
bool is_in_forked_process() noexcept;

// use_device, and this thread's device of the table from here on.
void set_current_device(int32_t index);

}  // namespace opwright::cuda
