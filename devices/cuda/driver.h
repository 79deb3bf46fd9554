// The driver of the plug-in: found on first use of a device, not when the binary loads.
#pragma once

#include <cstdint>
#include <string>

namespace opwright::cuda {

// Devices beyond this number are not used.
inline constexpr int32_t kMostDevices = 64;

// Why device_count() is 0; empty if there is a device.
std::string absence_of_devices();

// Whether this process was forked from the one that started the driver. Then no CUDA function may
// be called, and a lock may be held permanently by a thread that does not exist here.
bool is_in_forked_process() noexcept;

// use_device, and sets this thread's device of the table.
void set_current_device(int32_t index);

}  // namespace opwright::cuda
