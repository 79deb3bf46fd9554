// How the core runs work on a device: the functions of its table, applied to entire tensors
// (c_api.h, "What a device computes").
#pragma once

#include <cstdint>
#include <string_view>

#include "opwright/base/core_host.h"
#include "opwright/c_api.h"
#include "opwright/device.h"
#include "opwright/tensor/device/device_table.h"
#include "opwright/tensor/device/stream.h"

namespace opwright {

template <class Work>
using DevicePrimitive = int (*)(const OpwHost* host, int32_t index, const Work* work,
                                OpwStream* stream);

// NotImplementedError: `who` has no kernel for the device, with a reason such as "since ...".
[[noreturn]] void throw_no_device_kernel(const char* who, Device device, std::string_view reason);
// The same with the reason that the device does not compute `what`, such as "loops (compute_loop)".
[[noreturn]] void throw_no_primitive(const char* who, Device device, const char* what);

// Queues the work on the device's current stream. NotImplementedError if the function is missing
// from its table.
template <class Work>
void run_primitive(const char* who, Device device,
                   DevicePrimitive<Work> OpwDeviceTable::* primitive, const char* what,
                   const Work& work) {
  const DevicePrimitive<Work> run = device_table(device.type).*primitive;
  if (!run) throw_no_primitive(who, device, what);
  require_ok(run(&core_host(), device.index, &work, current_device_stream(device)));
}

}  // namespace opwright
